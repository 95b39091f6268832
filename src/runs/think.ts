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
 * Runs each question of an app as its own work order, through the usual flow. The key consists of the run and the question, so
 * that a repeated turn finds the answer and does not call the model again. A later turn may repeat a failed question as another
 * attempt.
 */
export function thinkFor(runtime: ThinkingParts, runId: RunId, failures: number, signal: AbortSignal) {
  return async (question: Question): Promise<Result<Thought>> => {
    for (let attempt = 1; ; attempt++) {
      const result = await runtime.runKeyedOrder(
        {
          ...draftOrder({
            type: "app-turn",
            readFiles: ["**"],
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
    // A model may write any text; the run must be able to store it. The session keeps the original.
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
