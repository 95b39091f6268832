import { type Postgres, postgresFailure } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { sessionNotFound } from "../jsonl/session-paths.ts";
import { deriveLedgers, type LedgerRules } from "../ledger.ts";
import { checkLink, parseLine } from "../line.ts";
import { closedError } from "../session-errors.ts";
import { emptyMarks, type SessionMarks } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { pageLines } from "./page-lines.ts";
import { sql } from "./sql.ts";

export interface TakenSession {
  readonly tier: Tier;
  readonly epoch: number;
  /** It had a writer that ended without releasing it. */
  readonly orphaned: boolean;
  readonly closed: boolean;
  readonly head: { readonly seq: number; readonly hash: string };
}

const lockSession = sql("lock-session");
const livingWriter = sql("living-writer");
const takeSession = sql("take-session");

/**
 * Makes this writer the owner under the next epoch: from now on the previous owner cannot append, even if it is still
 * running.
 */
export async function adoptSession(
  postgres: Postgres,
  tenant: string,
  session_id: SessionId,
  options: {
    readonly writer_id: string;
    readonly evenClosed: boolean;
    readonly evenOwn: boolean;
    readonly evenOrphaned: boolean;
  },
): Promise<Result<TakenSession>> {
  const { writer_id, evenClosed, evenOwn, evenOrphaned } = options;
  try {
    return await postgres.retrying(() =>
      postgres.transaction(async (transaction): Promise<Result<TakenSession>> => {
        const [row] = await transaction.rows(lockSession, [tenant, session_id]);
        if (!row) return sessionNotFound(session_id);
        const [tier, , seq, hash, closed, owner] = row as readonly [
          Tier,
          number,
          number,
          string,
          boolean,
          string | null,
        ];
        if (closed && !evenClosed) return err(closedError(session_id));
        // Owned by this writer although it is not open here: an adoption whose answer was lost, or a release that
        // failed.
        const isFree = owner === null || (evenOwn && owner === writer_id);
        const [living] = isFree ? [] : await transaction.rows(livingWriter, [tenant, owner]);
        if (living) return err(busy(session_id, living[0] as string));
        if (!isFree && !evenOrphaned)
          return err(busy(session_id, "a process that was last heard of before the database was away"));
        const taking = transaction.write(takeSession, [tenant, session_id, writer_id]);
        const [taken] = await taking;
        return ok({ tier, epoch: taken?.[0] as number, orphaned: owner !== null, closed, head: { seq, hash } });
      }),
    );
  } catch (thrown) {
    return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
  }
}

/** Reads a session from its first line to its last, so that nothing is ever appended to lines that do not verify. */
export async function proveMarks(
  postgres: Postgres,
  tenant: string,
  session_id: SessionId,
  rules: LedgerRules,
): Promise<Result<SessionMarks>> {
  let marks = emptyMarks;
  for await (const portion of pageLines(postgres, tenant, session_id)) {
    if (!portion.ok) return portion;
    for (const text of portion.value.texts) {
      const event = parseLine(text);
      const linked = event.ok ? checkLink(event.value, marks.events, session_id) : event;
      if (!event.ok || !linked.ok)
        return err(
          domainError(
            "LEDGER_CORRUPT",
            `${session_id}, line ${marks.events.seq + 1}: ${linked.ok ? "" : linked.error.message}`,
            { details: { session_id, line: marks.events.seq + 1 } },
          ),
        );
      const size = (line: { readonly text: string } | undefined) => (line ? Buffer.byteLength(line.text) + 1 : 0);
      const events = { seq: event.value.seq, hash: event.value.hash, bytes: marks.events.bytes + size({ text }) };
      const derived = deriveLedgers(event.value, rules, marks);
      marks = derived
        ? {
            events,
            exec: { ...derived.heads.exec, bytes: marks.exec.bytes + size(derived.exec) },
            evidence: { ...derived.heads.evidence, bytes: marks.evidence.bytes + size(derived.evidence) },
          }
        : { ...marks, events };
    }
  }
  return ok(marks);
}

function busy(session_id: string, writer: string) {
  return domainError(
    "SESSION_BUSY",
    `the session ${session_id} is written by ${writer}; it is free when that process releases it, ends, or has not been heard of for a while`,
    { details: { session_id, writer } },
  );
}
