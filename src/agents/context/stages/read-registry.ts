import { parse as parseCsv } from "csv-parse/sync";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { StageContext } from "../pipeline/stage.ts";
import { type Withheld, whyWithheld } from "./readable-file.ts";

export interface Registry {
  readonly rows: readonly Readonly<Record<string, string>>[];
  readonly hash: Sha256;
  /** From the workspace or from Writ itself; where it lies in there. */
  readonly path: string;
}

/**
 * A CSV registry by name: the framework's own, then the workspace's, then the one that Writ ships, which is no file of the
 * workspace. One of the workspace that the order may not read stands for the shipped one all the same.
 */
export async function readRegistry(
  name: string,
  { folder, sources, request, files }: Pick<StageContext, "folder" | "sources" | "request" | "files">,
): Promise<Result<Registry | Withheld>> {
  const places = [`${folder}/registries/${name}.csv`, `registries/${name}.csv`];
  for (const root of sources.registryRoots) {
    for (const path of places) {
      const there = await sources.files.stat(`${root}/${path}`);
      if (!there.ok) return there;
      if (!there.value) continue;
      const withheld = root === sources.root ? whyWithheld(request.mandate, path) : undefined;
      if (withheld !== undefined) return ok({ withheld });
      const maxBytes = sources.reading.registryBytes;
      const text = await sources.files.readText(`${root}/${path}`, { maxBytes, keepBom: true });
      if (text.ok) {
        if (root === sources.root) files.add(path, sha256(text.value));
        return parse(path, text.value);
      }
      if (text.error.code !== "NOT_FOUND") return text;
    }
  }
  return err(domainError("NOT_FOUND", `there is no registry ${name}: looked for ${places.join(" and ")}`));
}

function parse(path: string, text: string): Result<Registry> {
  try {
    const rows: Record<string, string>[] = parseCsv(text, {
      columns: true,
      trim: true,
      skip_empty_lines: true,
      bom: true,
    });
    return ok({ rows, hash: sha256(text), path });
  } catch (thrown) {
    return err(domainError("CONFIG_INVALID", `${path}: ${messageOf(thrown)}`));
  }
}

export function rowText(row: Readonly<Record<string, string>>, columns?: readonly string[]): string {
  return Object.entries(row)
    .filter(([column]) => !columns || columns.includes(column))
    .map(([column, value]) => `${column}: ${value}`)
    .join("\n");
}

/** A row is called by its first column. */
export function rowKey(row: Readonly<Record<string, string>>, index: number): string {
  return Object.values(row)[0] || String(index + 1);
}
