import { parse as parseCsv } from "csv-parse/sync";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { StageContext } from "../pipeline/stage.ts";

export interface Registry {
  readonly rows: readonly Readonly<Record<string, string>>[];
  readonly hash: Sha256;
  /** From the workspace or from Writ itself; where it lies in there. */
  readonly path: string;
}

/** A CSV registry by name: the framework's own, then the workspace's, then the one that Writ ships. */
export async function readRegistry(
  name: string,
  { folder, sources }: Pick<StageContext, "folder" | "sources">,
): Promise<Result<Registry>> {
  const places = [`${folder}/registries/${name}.csv`, `registries/${name}.csv`];
  for (const root of sources.registryRoots) {
    for (const path of places) {
      const text = await sources.files.readText(`${root}/${path}`, { maxBytes: sources.reading.registryBytes });
      if (text.ok) return parse(path, text.value);
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
