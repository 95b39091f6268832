import { type Postgres, postgresFailure } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { LinePortion } from "../read-events.ts";
import { sql } from "./sql.ts";

const readLines = sql("read-lines");
const page = { lines: 1_000, bytes: 4 * 1024 * 1024 };

/** A session's lines after `after`, unchanged, a page at a time. Ends where the log ends now. */
export async function* pageLines(
  postgres: Postgres,
  tenant: string,
  session_id: SessionId,
  after = 0,
): AsyncGenerator<Result<LinePortion>> {
  for (let last = after; ; ) {
    const rows = await attempt(session_id, () =>
      postgres.rows(readLines, [tenant, session_id, last, page.lines, page.bytes]),
    );
    if (!rows.ok) {
      yield rows;
      return;
    }
    if (rows.value.length === 0) return;
    yield ok({ texts: rows.value.map(([, line]) => line as string), fault: undefined });
    last = rows.value.at(-1)?.[0] as number;
  }

  async function attempt<T>(id: SessionId, ask: () => Promise<T>): Promise<Result<T>> {
    try {
      return ok(await postgres.retrying(ask));
    } catch (thrown) {
      const { message } = postgresFailure(thrown);
      return err(
        domainError("LEDGER_UNAVAILABLE", `the session ${id} could not be read: ${message}`, { cause: thrown }),
      );
    }
  }
}
