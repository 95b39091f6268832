import type { SchemaRegistry } from "#core/contracts";
import { ok, type Result, type SessionId } from "#core/values";
import { type LogReader, replay, type Snapshot } from "#log";

/** What a session has come to so far, as clients get it. */
export async function sessionOutcome(
  session_id: SessionId,
  { log, schemas }: { readonly log: LogReader; readonly schemas: SchemaRegistry },
): Promise<Result<{ readonly outcome: object; readonly snapshot: Snapshot }>> {
  const replayed = await replay(session_id, { reader: log, schemas, verify: false });
  if (!replayed.ok) return replayed;
  const { status, reason, output, verdict, ok: isOk, cost } = replayed.value;
  const why = reason === null ? {} : { reason };
  return ok({ outcome: { session_id, ok: isOk, status, ...why, verdict, output, cost }, snapshot: replayed.value });
}
