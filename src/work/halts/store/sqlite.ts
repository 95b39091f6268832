import { type InsertRows, type Migration, orUnavailable, type Sqlite } from "#core/database";
import { type Clock, isoTime } from "#core/values";
import { grantsOfRow } from "./grants-of-row.ts";
import type { HaltStore, StandingHalt } from "./halt-store.ts";

interface Row {
  readonly target: string;
  readonly by_whom: string;
  readonly reason: string;
  readonly halted_at: string;
  readonly grants: string | null;
}

/** The table itself is among the shared ones, from before there was a rank. */
export const haltMigrations: readonly Migration[] = [
  { number: 1, name: "halt-grants", sql: "ALTER TABLE halts ADD COLUMN grants TEXT;" },
];

/** In the place of a session id: everything. */
const everything = "*";

const guarded = orUnavailable("the halts could not be kept");

export function sqliteHalts(database: Sqlite, tenant: string, clock: Clock): HaltStore {
  const columns = "INTO halts (tenant_id, target, by_whom, reason, halted_at, grants) VALUES (?, ?, ?, ?, ?, ?)";
  const insert = database.prepare(`INSERT ${columns} ON CONFLICT DO NOTHING`);
  const replace = database.prepare(`INSERT OR REPLACE ${columns}`);
  const lift = database.prepare(
    "DELETE FROM halts WHERE tenant_id = ? AND target = ? AND by_whom = ? AND halted_at = ?",
  );
  const read = database.prepare<[string], Row>(
    "SELECT target, by_whom, reason, halted_at, grants FROM halts WHERE tenant_id = ? ORDER BY halted_at, target",
  );
  return {
    halt: ({ session_id, by, reason, grants }, { replaces } = { replaces: false }) =>
      guarded(() => {
        const rights = grants && JSON.stringify(grants);
        const row = [tenant, session_id ?? everything, by, reason, isoTime(clock.now()), rights];
        (replaces ? replace : insert).run(...row);
      }),
    liftHalts: (halts) =>
      guarded(() =>
        halts
          .map(({ session_id, by, halted_at }) => lift.run(tenant, session_id ?? everything, by, halted_at).changes)
          .reduce((sum, changes) => sum + changes, 0),
      ),
    halts: () => guarded(() => read.all(tenant).map(haltOf)),
  };
}

function haltOf({ target, by_whom, reason, halted_at, grants }: Row): StandingHalt {
  const session_id = target === everything ? null : target;
  return { session_id, by: by_whom, reason, halted_at, grants: grantsOfRow(grants) };
}

/** Makes the table anew from what the events tell. */
export function rebuildHalts(insert: InsertRows, halts: readonly StandingHalt[]): void {
  insert(
    "halts",
    "target by_whom reason halted_at grants",
    halts.map((halt) => ({
      ...halt,
      target: halt.session_id ?? everything,
      by_whom: halt.by,
      grants: halt.grants && JSON.stringify(halt.grants),
    })),
  );
}
