import { type InsertRows, orUnavailable, type Sqlite } from "#core/database";
import type { StoredToolPin, ToolPinChanges, ToolPinStore } from "./tool-pin-store.ts";

const guarded = orUnavailable("the approvals of tools cannot be reached");

export function sqliteToolPins(database: Sqlite, tenant: string): ToolPinStore {
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
    toolPins: () => guarded(() => all.all(tenant)),
    changeToolPins: (changes) => guarded(() => change.immediate(changes)),
  };
}

/** Makes the table anew from what the events tell. */
export function rebuildToolPins(insert: InsertRows, pins: readonly StoredToolPin[]): void {
  insert("tool_pins", "server tool name hash launch definition approved_at approved_by", pins);
}
