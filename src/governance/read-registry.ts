import { parse as parseCsv } from "csv-parse/sync";
import { domainError, err, type Files, messageOf, ok, type Result } from "#base";

/** A line of a registry, by column, and the file it stands in. */
export interface RegistryRow {
  readonly file: string;
  readonly columns: Readonly<Record<string, string>>;
}

const maxRegistryBytes = 4 * 1024 * 1024;

/**
 * The rows of a registry under a root: `registries/NAME` and, because no package overwrites another's file,
 * `registries/<PACKAGE>/NAME` of every package that brings rows of its own.
 */
export async function readRegistry(files: Files, root: string, name: string): Promise<Result<readonly RegistryRow[]>> {
  const entries = await files.list(`${root}/registries`);
  if (!entries.ok) return entries;
  const places = [name, ...entries.value.flatMap((each) => (each.type === "folder" ? [`${each.name}/${name}`] : []))];
  const rows: RegistryRow[] = [];
  for (const place of places) {
    const file = `registries/${place}`;
    const text = await files.readText(`${root}/${file}`, { maxBytes: maxRegistryBytes });
    if (!text.ok) {
      if (text.error.code === "NOT_FOUND") continue;
      return text;
    }
    try {
      const read: Record<string, string>[] = parseCsv(text.value, {
        columns: true,
        trim: true,
        skip_empty_lines: true,
      });
      rows.push(...read.map((columns) => ({ file, columns })));
    } catch (thrown) {
      return err(domainError("CONFIG_INVALID", `${file}: ${messageOf(thrown)}`));
    }
  }
  return ok(rows);
}
