import { mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { replaceFile } from "#core/machine";
import { canonicalJson, err, isoTime, ok, parseJson, type Result } from "#core/values";
import { type ModelTableDocument } from "../../facts/model-table.ts";
import { readModelFacts } from "../../facts/read-model-facts.ts";
import { shippedTable, updatePath } from "./model-table-file.ts";

/** Larger than any list of models that is published. */
const maxBytes = 64 * 1024 * 1024;

export interface UpdatedTable {
  readonly as_of: string;
  readonly models: number;
  readonly added: number;
  readonly changed: number;
  readonly path: string;
}

/** Reads a file in one of the known forms and keeps it for the workspace; it takes precedence over the shipped table. */
export async function updateModelTable(
  root: string,
  { file, cwd, nowMs }: { readonly file: string; readonly cwd: string; readonly nowMs: number },
): Promise<Result<UpdatedTable>> {
  const path = isAbsolute(file) ? file : join(cwd, file);
  let text: string;
  try {
    const bytes = await readFile(path);
    if (bytes.length > maxBytes) return err(unreadable(file, "it is larger than any list of models"));
    text = bytes.toString("utf8");
  } catch (thrown) {
    return err(domainError("NOT_FOUND", `${file} cannot be read: ${messageOf(thrown)}`, { cause: thrown }));
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return err(unreadable(file, parsed.error.message));
  const read = readModelFacts(parsed.value, isoTime(nowMs).slice(0, 10));
  if (!read.ok) return err(unreadable(file, read.error.message));
  const checked = shippedRegistry().validate("model_table_v1", read.value);
  if (!checked.ok) return err(unreadable(file, checked.error.message));
  const table: ModelTableDocument = checked.value;
  const target = join(root, updatePath);
  await mkdir(dirname(target), { recursive: true });
  await replaceFile(target, `${JSON.stringify(table)}\n`);
  const before = shippedTable().models;
  const names = Object.keys(table.models);
  const isNew = (name: string) => !Object.hasOwn(before, name);
  return ok({
    as_of: table.as_of,
    models: names.length,
    added: names.filter(isNew).length,
    changed: names.filter(
      (name) =>
        !isNew(name) && canonicalJson(before[name]?.price ?? null) !== canonicalJson(table.models[name]?.price ?? null),
    ).length,
    path: updatePath,
  });
}

function unreadable(file: string, why: string) {
  return domainError("MALFORMED_INPUT", `${file} is no list of models: ${why}`, {
    details: {
      file,
      hint: "LiteLLM's model_prices_and_context_window.json, api.json of models.dev, or a document of `writ schema show model_table_v1`",
    },
  });
}
