import { domainError } from "#core/errors";
import { type Clock, err, isJsonObject, type JsonObject, ok, type Result, sleep } from "#core/values";
import type { AnswerQuestions } from "./ask-person.ts";

export interface Rounds {
  /** Sends the request with what the round before adds to it. */
  readonly send: (added: JsonObject) => Promise<unknown>;
  readonly onQuestions: AnswerQuestions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly server: string;
}

const mostRounds = 10;
/** Between two rounds in which the server asked nothing and only wants to be asked again. */
const pauseMs = 250;

/**
 * A request in rounds (revision 2026-07-28): where the server says `input_required` it has not carried the request out, and
 * it is sent again with the answers and with the server's own state, byte for byte.
 */
export async function callInRounds({ send, onQuestions, clock, signal, server }: Rounds): Promise<Result<unknown>> {
  let added: JsonObject = {};
  for (let round = 0; round < mostRounds; round += 1) {
    const result = await send(added);
    if (!isJsonObject(result) || result["resultType"] !== "input_required") return ok(result);
    const { inputRequests, requestState } = result;
    const questions = isJsonObject(inputRequests) ? (inputRequests as JsonObject) : {};
    const isAsking = Object.keys(questions).length > 0;
    const answered = isAsking ? await onQuestions(questions) : ok({});
    if (!answered.ok) return err({ ...answered.error, details: { ...answered.error.details, nothing_done: true } });
    if (!isAsking) await sleep(clock, pauseMs, signal);
    added = {
      ...(isAsking ? { inputResponses: answered.value } : {}),
      ...(typeof requestState === "string" ? { requestState } : {}),
    };
  }
  return err(domainError("TOOL_ERROR", `the MCP server "${server}" asked ${mostRounds} times and never answered`));
}
