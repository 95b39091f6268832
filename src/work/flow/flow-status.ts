import type { FlowResultV2 } from "#core/contracts";
import type { DomainError } from "#core/errors";

export type FlowStatus = FlowResultV2["status"];

/**
 * The status of a failed flow: `rejected` before its first prompt or tool call, `budget_exhausted` when the budget ends later,
 * otherwise `failure`.
 */
export function flowStatusOf(
  error: DomainError,
  flow: { readonly acted: boolean; readonly timedOut: boolean },
): FlowStatus {
  if (error.code === "HALTED") return flow.acted ? "canceled" : "rejected";
  if (error.kind === "doubt") return "waiting";
  if (error.code === "PARTIAL_RESULT") return "partial";
  if (flow.timedOut || error.code === "PROVIDER_TIMEOUT" || error.code === "TIMEOUT") return "timeout";
  if (error.kind === "canceled") return "canceled";
  if (!flow.acted && (error.kind === "gate" || error.kind === "budget" || error.kind === "schema")) return "rejected";
  if (error.kind === "budget") return "budget_exhausted";
  return "failure";
}
