import { ask, change, statementsBeside, type Tables } from "#core/database";
import { isoTime, ok } from "#core/values";
import type { HaltStore, StandingHalt } from "./halt-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const halt = sql("halt");
const lift = sql("lift-halts");
const read = sql("read-halts");

/** In the place of a session id: everything. */
const everything = "*";

export function postgresHalts(tables: Tables): HaltStore {
  const { tenant, clock, postgres } = tables;
  return {
    halt: ({ session_id, by, reason }) =>
      ask(tables, async () => {
        await postgres.rows(halt, [tenant, session_id ?? everything, by, reason, isoTime(clock.now())]);
      }),
    liftHalt: (session_id) =>
      change(tables, async (transaction) => {
        const target = session_id === undefined ? null : (session_id ?? everything);
        const lifting = transaction.write(lift, [tenant, target]);
        return ok((await lifting).length);
      }),
    halts: () =>
      ask(tables, async () =>
        (await postgres.rows(read, [tenant])).map(
          ([target, by, reason, halted_at]) =>
            ({ session_id: target === everything ? null : target, by, reason, halted_at }) as StandingHalt,
        ),
      ),
  };
}
