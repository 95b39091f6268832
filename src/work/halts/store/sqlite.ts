import { type InsertRows, orUnavailable, type Sqlite } from "#core/database";
import { type Clock, isoTime } from "#core/values";
import type { HaltStore, StandingHalt } from "./halt-store.ts";

interface Row {
  readonly target: string;
  readonly by_whom: string;
  readonly reason: string;
  readonly halted_at: string;
}

/** In the place of a session id: everything. */
const everything = "*";

const guarded = orUnavailable("the halts could not be kept");

export function sqliteHalts(database: Sqlite, tenant: string, clock: Clock): HaltStore {
  const insert = database.prepare(
    "INSERT INTO halts (tenant_id, target, by_whom, reason, halted_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const liftOne = database.prepare("DELETE FROM halts WHERE tenant_id = ? AND target = ?");
  const liftAll = database.prepare("DELETE FROM halts WHERE tenant_id = ?");
  const read = database.prepare<[string], Row>(
    "SELECT target, by_whom, reason, halted_at FROM halts WHERE tenant_id = ? ORDER BY halted_at, target",
  );
  return {
    halt: ({ session_id, by, reason }) =>
      guarded(() => void insert.run(tenant, session_id ?? everything, by, reason, isoTime(clock.now()))),
    liftHalt: (session_id) =>
      guarded(() =>
        session_id === undefined ? liftAll.run(tenant).changes : liftOne.run(tenant, session_id ?? everything).changes,
      ),
    halts: () => guarded(() => read.all(tenant).map(haltOf)),
  };
}

function haltOf({ target, by_whom, reason, halted_at }: Row): StandingHalt {
  return { session_id: target === everything ? null : target, by: by_whom, reason, halted_at };
}

/** Makes the table anew from what the events tell. */
export function rebuildHalts(insert: InsertRows, halts: readonly StandingHalt[]): void {
  insert(
    "halts",
    "target by_whom reason halted_at",
    halts.map((halt) => ({ ...halt, target: halt.session_id ?? everything, by_whom: halt.by })),
  );
}
