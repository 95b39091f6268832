import { ask, change, statementsBeside, type Tables } from "#core/database";
import { isoTime, ok } from "#core/values";
import { grantsOfRow } from "./grants-of-row.ts";
import type { HaltStore, StandingHalt } from "./halt-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const halt = sql("halt");
const replace = sql("replace-halt");
const lift = sql("lift-halts");
const read = sql("read-halts");

/** In the place of a session id: everything. */
const everything = "*";

export function postgresHalts(tables: Tables): HaltStore {
  const { tenant, clock, postgres } = tables;
  return {
    halt: ({ session_id, by, reason, grants }, { replaces } = { replaces: false }) =>
      ask(tables, async () => {
        const rights = grants && JSON.stringify(grants);
        const row = [tenant, session_id ?? everything, by, reason, isoTime(clock.now()), rights];
        await postgres.rows(replaces ? replace : halt, row);
      }),
    liftHalts: (halts) =>
      change(tables, async (transaction) => {
        let lifted = 0;
        for (const { session_id, by, halted_at } of halts)
          lifted += (await transaction.write(lift, [tenant, session_id ?? everything, by, halted_at])).length;
        return ok(lifted);
      }),
    halts: () =>
      ask(tables, async () =>
        (await postgres.rows(read, [tenant])).map(
          ([target, by, reason, halted_at, grants]) =>
            ({
              session_id: target === everything ? null : target,
              by,
              reason,
              halted_at,
              grants: grantsOfRow(grants as string | null),
            }) as StandingHalt,
        ),
      ),
  };
}
