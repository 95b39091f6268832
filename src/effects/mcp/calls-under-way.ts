import { type DomainError, domainError } from "#core/errors";
import { isJsonObject, type JsonObject, type JsonValue, sha256 } from "#core/values";
import type { AnswerQuestions } from "./ask-person.ts";
import type { ServerLog } from "./server-logs.ts";

interface CallUnderWay {
  readonly onQuestions: AnswerQuestions;
  readonly onLog: ((log: ServerLog) => void) | undefined;
  /** How much the server has logged. */
  logs: number;
  readonly stop: AbortController;
  /** How often the server has asked, and the answer to the last question. */
  questions: number;
  last: Promise<unknown>;
  stoppedBy?: DomainError;
}

/** Questions of a server in one call. */
const mostQuestions = 16;
/** Messages of a server's log that one call records. */
const mostLogs = 50;

/**
 * The calls of a connection that are not answered yet, and the questions that a server of an earlier revision asks meanwhile.
 * It does not say which call a question belongs to, so with several under way it gets no answer.
 */
export class CallsUnderWay {
  readonly #calls = new Set<CallUnderWay>();

  get count(): number {
    return this.#calls.size;
  }

  /** `signal` aborts when the call is stopped for a question that waits; `why` then says so. */
  begin(
    onQuestions: AnswerQuestions,
    onLog?: (log: ServerLog) => void,
  ): { readonly signal: AbortSignal; why(): DomainError | undefined; end(): void } {
    const stop = new AbortController();
    const call: CallUnderWay = { onQuestions, onLog, logs: 0, stop, questions: 0, last: Promise.resolve() };
    this.#calls.add(call);
    return {
      signal: call.stop.signal,
      why: () => call.stoppedBy,
      end: () => void this.#calls.delete(call),
    };
  }

  /** A message of the log belongs to the only call under way. With several its call is not known, and none records it. */
  log(log: ServerLog): void {
    const [call, ...others] = this.#calls;
    if (!call || others.length > 0) return;
    call.logs += 1;
    if (call.logs <= mostLogs) call.onLog?.(log);
  }

  /** What the person answered. A question that waits stops its call: the server is not left waiting for days. */
  async answer(params: JsonObject): Promise<JsonValue> {
    const [call, ...others] = this.#calls;
    if (!call || others.length > 0) return { action: "cancel" };
    call.questions += 1;
    if (call.questions > mostQuestions) return { action: "cancel" };
    // One after the other: the first that waits for a person stops the call, and those behind it are not asked.
    const mine = call.last.then(() => this.#ask(call, params));
    call.last = mine;
    return mine;
  }

  async #ask(call: CallUnderWay, params: JsonObject): Promise<JsonValue> {
    if (call.stoppedBy) return { action: "cancel" };
    const key = sha256(JSON.stringify(params)).slice(0, 16);
    const answered = await call.onQuestions({ [key]: { method: "elicitation/create", params } });
    const answer = answered.ok ? answered.value[key] : undefined;
    if (isJsonObject(answer)) return answer;
    call.stoppedBy = answered.ok ? domainError("TOOL_ERROR", "the server's question was not answered") : answered.error;
    call.stop.abort(call.stoppedBy);
    return { action: "cancel" };
  }
}
