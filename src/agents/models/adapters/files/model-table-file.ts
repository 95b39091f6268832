import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SchemaRegistry } from "#core/contracts";
import { packageRoot } from "#core/machine";
import { parseJson } from "#core/values";
import { type ModelTable, type ModelTableDocument, tableOf } from "../../facts/model-table.ts";

const shippedPath = join(packageRoot, "providers/models.json");
/** Where a workspace keeps what it was given: below `planes/`, which no turn can write. */
export const updatePath = "planes/hot/models.json";

let shipped: ModelTableDocument | undefined;

/** The table that Writ ships, read once by the process that first asks. */
export function shippedTable(): ModelTableDocument {
  shipped ??= JSON.parse(readFileSync(shippedPath, "utf8")) as ModelTableDocument; // checked by a test, not at every start
  return shipped;
}

/** The table of a workspace, read when it is first asked: a scripted request never pays for it. */
export function modelTableOf(root: string, schemas: SchemaRegistry): () => ModelTable {
  let table: ModelTable | undefined;
  return () => {
    table ??= tableOf(shippedTable(), readUpdate(root, schemas));
    return table;
  };
}

/** An update that is not there, or no longer keeps its contract, leaves the shipped table: doctor says so. */
function readUpdate(root: string, schemas: SchemaRegistry): { table: ModelTableDocument; path: string } | undefined {
  let text: string;
  try {
    text = readFileSync(join(root, updatePath), "utf8");
  } catch {
    return undefined; // none was given
  }
  const parsed = parseJson(text);
  const checked = parsed.ok ? schemas.validate("model_table_v1", parsed.value) : parsed;
  return checked.ok ? { table: checked.value, path: updatePath } : undefined;
}
