import type { DomainError } from "#core/errors";
import { claimedOrderId } from "../steps/1-validate-work-order.ts";
import { returnResult } from "../steps/9-return-result.ts";
import type { FlowResult } from "./execution-context.ts";
import type { FlowDependencies, FlowRequest } from "./flow.ts";
import { flowStatusOf } from "./flow-status.ts";
import { noCost } from "./order-cost.ts";
import { requestHash } from "./request-hash.ts";

/** Refuses an order before a session exists, and records the refusal in the intake log on `hot`. */
export async function rejectUnopened(
  deps: FlowDependencies,
  request: FlowRequest,
  refusal: DomainError,
  started: number,
): Promise<FlowResult> {
  // The message of a refusal quotes the request, which may contain a secret.
  const error = { ...refusal, message: deps.redact(refusal.message), details: deps.redact(refusal.details) };
  const work_order_id = claimedOrderId(request.work_order);
  const entry = await deps.intake.reject({
    work_order_id,
    caller_id: request.caller_id,
    error,
    request_hash: requestHash(deps, request),
  });
  const status = entry.ok ? flowStatusOf(error, { acted: false, timedOut: error.code === "TIMEOUT" }) : "failure";
  return returnResult(
    { work_order_id, agent_id: null, session_id: null },
    {
      status,
      error: entry.ok ? error : entry.error,
      strategy: null,
      acceptance: null,
      context_hash: null,
      cost: noCost,
      duration_ms: Math.round(deps.clock.monotonic() - started),
    },
    { ledger_entry_ids: entry.ok ? [entry.value.id] : [], children: [] },
  );
}
