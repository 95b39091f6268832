import { domainError, err, messageOf, ok, type Result } from "#base";
import type { StoredToolPin, ToolPinChanges } from "../shared-store.ts";
import type { Sqlite } from "./connection.ts";

export interface ToolPins {
  list(): Result<readonly StoredToolPin[]>;
  change(changes: ToolPinChanges): Result<void>;
}

export function toolPins(database: Sqlite, tenant: string): ToolPins {
  const all = database.prepare<[string], StoredToolPin>(
    `SELECT server, tool, name, hash, launch, definition, approved_at, approved_by
     FROM tool_pins WHERE tenant_id = ? ORDER BY server, tool`,
  );
  const put = database.prepare(
    `INSERT INTO tool_pins (tenant_id, server, tool, name, hash, launch, definition, approved_at, approved_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, server, tool) DO UPDATE SET name = excluded.name, hash = excluded.hash,
       launch = excluded.launch, definition = excluded.definition, approved_at = excluded.approved_at,
       approved_by = excluded.approved_by`,
  );
  const drop = database.prepare("DELETE FROM tool_pins WHERE tenant_id = ? AND server = ? AND tool = ?");
  const change = database.transaction((changes: ToolPinChanges) => {
    for (const { server, tool } of changes.drop) drop.run(tenant, server, tool);
    for (const pin of changes.put) {
      const { server, tool, name, hash, launch, definition, approved_at, approved_by } = pin;
      put.run(tenant, server, tool, name, hash, launch, definition, approved_at, approved_by);
    }
  });
  return {
    list: () => guarded(() => all.all(tenant)),
    change: (changes) => guarded(() => change.immediate(changes)),
  };
}

function guarded<T>(work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `the approvals of tools cannot be reached: ${messageOf(thrown)}`, {
        cause: thrown,
      }),
    );
  }
}
