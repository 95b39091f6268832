import { ok, type Result, type SessionId } from "#core/values";
import { type Event, type SessionLog, startOf } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import { type EndOfOrder, resultOfRecord } from "./result-of-record.ts";

/**
 * Closes a session that stopped at its edges: before its order began to act, so that there is nothing to go on with, or
 * after its outcome was recorded, so that there is nothing left to do.
 */
export async function concludeSession(
  deps: FlowDependencies,
  session: SessionLog,
  events: readonly Event[],
  ended: EndOfOrder | undefined,
): Promise<Result<FlowResult>> {
  const { status, error, error_code } = resultOfRecord(session.session_id, events, ended);
  const closed = await session.close({
    ok: status === "success",
    status,
    ...(error === null ? {} : { reason: `${error_code ?? "INTERNAL"}: ${error}` }),
  });
  return closed.ok ? keepOutcome(deps, session.session_id, events, ended) : closed;
}

/** Keeps the result that the record tells, for everybody who asks for the order again. */
export async function keepOutcome(
  deps: Pick<FlowDependencies, "orders">,
  session_id: SessionId,
  events: readonly Event[],
  ended: EndOfOrder | undefined,
): Promise<Result<FlowResult>> {
  const result = resultOfRecord(session_id, events, ended);
  const { work_order_id } = startOf(events);
  const kept = await (ended ? deps.orders.finish(work_order_id, result) : deps.orders.forget(work_order_id));
  return kept.ok ? ok(result) : kept;
}
