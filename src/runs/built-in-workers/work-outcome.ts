import { type ErrorCode, errorCodes } from "#core/errors";
import { type JsonObject } from "#core/values";
import type { FlowResult } from "#work";
import type { WorkOutcome } from "../kernel/run-worker.ts";
import type { Attempted } from "./attempt-order.ts";

/** What every `work.completed` records about its flow: the order, its session, its cost. */
export function factsOf({ result, attempt }: Attempted): JsonObject {
  return {
    work_order_id: result.work_order_id,
    session_id: result.session_id ?? null,
    attempt,
    ...(result.tokens_used ? { tokens_used: { ...result.tokens_used } } : {}),
    ...(result.usd === undefined ? {} : { usd: result.usd }),
    ...(result.verdict === undefined || result.verdict === null ? {} : { verdict: result.verdict }),
  };
}

/**
 * The outcome of an item whose flow did not succeed. It is released where a retry may help, within the retry budget; blocked
 * where a person must decide; otherwise failed with the flow's message.
 */
export function unsuccessful({ result }: Attempted): Exclude<WorkOutcome, { status: "completed" }> {
  const where = [result.work_order_id, result.session_id].filter((id) => typeof id === "string").join(", ");
  const reason = `${result.error ?? "the flow did not succeed"}${where === "" ? "" : ` (${where})`}`;
  if (result.status === "waiting") return { status: "blocked", reason };
  if (mayHelpToTryAgain(result)) return { status: "released", reason };
  const code = result.error_code;
  return { status: "failed", reason, ...(typeof code === "string" ? { code } : {}) };
}

/** Errors that a retry may resolve, such as an answer outside of its contract or a rejecting review. */
const worthAnotherTry = new Set([
  "ACCEPTANCE_FAILED",
  "MALFORMED_AGENT_MESSAGE",
  "REVIEW_FAILED",
  "REPLAY_DIVERGED",
  "LEASE_LOST", // the lease of the session; the next worker of the item resumes it
]);

function mayHelpToTryAgain({ status, error_code: code }: FlowResult): boolean {
  if (status === "timeout" || status === "canceled") return true;
  if (typeof code !== "string") return false;
  return worthAnotherTry.has(code) || (Object.hasOwn(errorCodes, code) && errorCodes[code as ErrorCode].retryable);
}
