import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import type { Event, RecordedRequest } from "#log";
import type { Reservation } from "../budget/budgeter.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";

type Response = Event<"llm.response">["payload"];

/** A call that ended because its process did, or because someone stopped it, has no answer: it is made again. */
export function isAnswer(response: Response | undefined): response is Response {
  return response !== undefined && response.error?.code !== "INTERRUPTED" && response.error?.code !== "CANCELED";
}

/** What the answer said when it came, or how it failed. */
export function answerOf(request_id: string, response: Response): Result<PromptResponse> {
  const { error, usage } = response;
  if (response.status === "error") {
    const options = error?.retryable === undefined ? {} : { retryable: error.retryable };
    return err(domainError(knownCode(error?.code), error?.message ?? "the model call failed", options));
  }
  return ok({
    request_id,
    text: response.text ?? "",
    tool_calls: response.tool_calls ?? [],
    finish_reason: response.finish_reason ?? "stop",
    usage: {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      cost_usd: usage.cost_usd ?? 0,
      estimated: usage.estimated === true,
    },
    model: response.model ?? "",
    ...(response.reasoning === undefined ? {} : { reasoning: response.reasoning }),
    ...(response.opaque === undefined ? {} : { opaque: response.opaque }),
    duration_ms: response.duration_ms,
  });
}

/** The money that was set aside for a recorded request: the request names it. */
export function reservationOf(request: PromptRequest, { request: recorded }: RecordedRequest): Result<Reservation> {
  const reserved = recorded.payload.reserved;
  if (!isJsonObject(reserved) || typeof reserved["reservation_id"] !== "string")
    return err(
      domainError(
        "REPLAY_DIVERGED",
        `the request ${recorded.payload.request_id} does not name its reservation: it was recorded by an older version of Writ`,
      ),
    );
  return ok({
    id: reserved["reservation_id"],
    scope: request.budget,
    input_tokens: Number(reserved["input_tokens"]),
    output_tokens: Number(reserved["output_tokens"]),
    usd: Number(reserved["usd"]),
  });
}

function knownCode(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "PROVIDER_ERROR";
}
