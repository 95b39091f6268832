import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { StoredToolPin, ToolPinStore } from "./tool-pin-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const read = sql("read-tool-pins");
const put = sql("put-tool-pin");
const drop = sql("drop-tool-pin");

export function postgresToolPins(tables: Tables): ToolPinStore {
  const { tenant, postgres } = tables;
  return {
    toolPins: () =>
      ask(tables, async () => (await postgres.records(read, [tenant])) as unknown as readonly StoredToolPin[]),
    changeToolPins: (changes) =>
      change(tables, async (transaction) => {
        for (const { server, tool } of changes.drop) transaction.send(drop, [tenant, server, tool]);
        for (const { server, tool, name, hash, launch, definition, approved_at, approved_by } of changes.put)
          transaction.send(put, [tenant, server, tool, name, hash, launch, definition, approved_at, approved_by]);
        return ok(undefined);
      }),
  };
}
