import { ok, type Result } from "#base";
import type { Event, SessionLog } from "#events";
import type { FlowResult } from "../execution-context.ts";
import type { FlowDependencies } from "../flow.ts";
import { type Ending, resultOfRecord } from "./result-of-record.ts";

/**
 * Closes a session that stopped at its edges: before its order began to act, so that there is nothing to go on with, or
 * after its outcome was recorded, so that there is nothing left to do.
 */
export async function concludeSession(
  deps: FlowDependencies,
  session: SessionLog,
  events: readonly Event[],
  ended: Ending | undefined,
): Promise<Result<FlowResult>> {
  const result = resultOfRecord(session.session_id, events, ended);
  const closed = await session.close({
    ok: result.status === "success",
    status: result.status,
    ...(result.error == null ? {} : { reason: `${result.error_code ?? "INTERNAL"}: ${result.error}` }),
  });
  if (!closed.ok) return closed;
  const { work_order_id } = (events[0] as Event<"session.start">).payload;
  const kept = ended ? await deps.orders.finish(work_order_id, result) : await deps.orders.forget(work_order_id);
  return kept.ok ? ok(result) : kept;
}
