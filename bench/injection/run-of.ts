import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalJson, type JsonObject, sha256 } from "#core/values";

const judging = ["../../src/governance/values", "../../workflows/policies/values", "."];

/**
 * The name of a run, over its arguments, its declarations, and the code and rules that judge: a run that was interrupted goes on
 * only where it would have gone on.
 */
export function runOf({ declarations, ...wanted }: JsonObject & { readonly declarations: string }): string {
  const folders = [...judging.map((path) => fileURLToPath(new URL(path, import.meta.url))), declarations];
  const texts = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map(({ name }) => name)
      .sort()
      .map((name) => sha256(readFileSync(`${folder}/${name}`, "utf8"))),
  );
  return sha256(canonicalJson({ ...wanted, texts })).slice(0, 8);
}
