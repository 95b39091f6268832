import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { built } from "./built.ts";

/**
 * Before any test: dist/ is what the sources say, because children run from it, and so are Writ's own packages, or the gates would
 * shut. Once for all files: what one of them built anew would be taken from under the children of another.
 */
export default function setup(): void {
  built();
  const script = fileURLToPath(new URL("../../scripts/build-packages.mjs", import.meta.url));
  const made = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`the packages could not be built: ${made.stderr}`);
}
