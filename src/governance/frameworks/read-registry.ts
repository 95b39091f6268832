import { parse as parseCsv } from "csv-parse/sync";
import { domainError, messageOf } from "#core/errors";
import { err, type Files, ok, type Result } from "#core/values";

/** A line of a registry, by column, and the file it stands in. */
export interface RegistryRow {
  readonly file: string;
  readonly columns: Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, string>>;
export type ParseRows = (text: string, file: string) => Result<readonly Row[]>;

const maxRegistryBytes = 4 * 1024 * 1024;

/** The rows of one file, by its header. */
export function parseRows(text: string, file: string): Result<readonly Row[]> {
  try {
    return ok(parseCsv(text, { columns: true, trim: true, skip_empty_lines: true }) as readonly Row[]);
  } catch (thrown) {
    return err(domainError("CONFIG_INVALID", `${file}: ${messageOf(thrown)}`));
  }
}

/**
 * The rows of a registry under a root: `registries/NAME` and, because no package overwrites another's file,
 * `registries/<PACKAGE>/NAME` of every package that brings rows of its own.
 */
export async function readRegistry(
  files: Files,
  root: string,
  name: string,
  parse: ParseRows = parseRows,
): Promise<Result<readonly RegistryRow[]>> {
  const entries = await files.list(`${root}/registries`);
  if (!entries.ok) return entries;
  const places = entries.value.flatMap((each) =>
    each.type === "folder" ? [`registries/${each.name}/${name}`] : each.name === name ? [`registries/${name}`] : [],
  );
  const rows: RegistryRow[] = [];
  for (const file of places) {
    const text = await files.readText(`${root}/${file}`, { maxBytes: maxRegistryBytes });
    if (!text.ok) {
      if (text.error.code === "NOT_FOUND") continue;
      return text;
    }
    const read = parse(text.value, `${root}/${file}`);
    if (!read.ok) return read;
    rows.push(...read.value.map((columns) => ({ file, columns })));
  }
  return ok(rows);
}
