import { type DomainError, domainError, type ErrorCode, errorCodes } from "#core/errors";
import {
  err,
  isJsonObject,
  type JsonObject,
  ok,
  parseJson,
  type Result,
  type RunId,
  toStorableJson,
} from "#core/values";
import { draftOrder, type FlowResult, type KeyedOrders } from "#work";
import type { Question, Thought } from "./apps/thinking-app.ts";

/** What an app thinks with. */
export type ThinkingParts = Pick<KeyedOrders, "runKeyedOrder">;

/**
 * How an app thinks: each question is a work order of its own, through the flow that everybody takes. The key is the run's and
 * the question's, so that a turn that was lost finds the answer and asks nobody twice. A question that failed may be asked
 * again by a later turn, as another attempt.
 */
export function thinkFor(runtime: ThinkingParts, runId: RunId, failures: number, signal: AbortSignal) {
  return async (question: Question): Promise<Result<Thought>> => {
    for (let attempt = 1; ; attempt++) {
      const result = await runtime.runKeyedOrder(
        {
          ...draftOrder({
            type: "app-turn",
            input: question.input,
            prompt_contract_id: question.contract,
            io_schema: { output_schema: question.output_schema },
            run_id: runId,
          }),
          idempotency_key: `${runId}/think/${question.key}/${attempt}`,
        },
        { signal },
      );
      if (result.status === "success") return thoughtOf(result);
      if (result.status === "waiting" || signal.aborted || attempt > failures) return err(failureOf(result));
    }
  };
}

function thoughtOf(result: FlowResult): Result<Thought> {
  const answer = parseJson(result.response ?? "");
  if (!answer.ok) return answer;
  if (!isJsonObject(answer.value)) return err(domainError("MALFORMED_AGENT_MESSAGE", "the answer is no JSON object"));
  return ok({
    // A model may write anything; the run that its words go into must be able to keep them. The session holds them as they were.
    answer: toStorableJson(answer.value) as JsonObject,
    work_order_id: result.work_order_id ?? "",
    session_id: result.session_id ?? "",
    repeated: result.deduplicated === true,
  });
}

function failureOf({ error, error_code, status, work_order_id, session_id }: FlowResult): DomainError {
  const known = typeof error_code === "string" && Object.hasOwn(errorCodes, error_code);
  const code: ErrorCode = known ? (error_code as ErrorCode) : "INTERNAL";
  return domainError(code, error ?? `the question ended as ${status}`, { details: { work_order_id, session_id } });
}
