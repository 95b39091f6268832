import { type DomainError } from "#core/errors";
import { canonicalJson, err, type JsonValue, ok, type Result, sha256 } from "#core/values";
import type { Event, EventInput } from "#log";
import type { SealedValues } from "#log/redaction";
import { type Budgeter, type Reservation } from "../budget/budgeter.ts";
import { answerMessage } from "../conversation/fold-conversation.ts";
import type { CompletionResponse } from "./completion.ts";
import { ownCallIds } from "./own-call-ids.ts";
import { type PaidAttempts, recordedUsage } from "./paid-attempts.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import type { Provider } from "./provider.ts";
import { type ReadCall, readCalls } from "./reader/read-calls.ts";
import { recordRead } from "./reader/record-read.ts";
import { answerOf } from "./recorded-answer.ts";
import { sealCalls } from "./seal-calls.ts";
import type { ToolCall } from "./tool-call.ts";
import { believeUsage, usageOfFailure } from "./usage.ts";

/** Dependencies of the router that the end of a call needs. */
export interface ExchangeDeps {
  readonly provider: Pick<Provider, "id">;
  readonly budgeter: Budgeter;
  readonly redact: <T>(value: T) => T;
  /** Whether code of the workspace acts between an answer and the event that announces what follows from it. */
  readonly hooksAct: () => boolean;
  readonly seals?: SealedValues | undefined;
}

/** A call that has ended: its id, its attempts and its duration. */
export interface Exchange {
  readonly request_id: string;
  readonly attempts: PaidAttempts;
  readonly duration_ms: number;
}

export async function received(
  deps: ExchangeDeps,
  request: PromptRequest,
  { request_id, attempts, duration_ms }: Exchange,
  response: CompletionResponse,
): Promise<Result<PromptResponse>> {
  const { last, all } = attempts.billed((reserved) => believeUsage(response.usage, reserved));
  const reads = readCalls(response.tool_calls, request.tools);
  const asked = reads.map(({ call: { args, ...call } }) => ({ ...deps.redact(call), args }));
  const called = ownCallIds(request, request_id, asked);
  const { session_id } = request.recorder;
  const { tool_calls, sealed, hide } = await sealCalls(deps, session_id, called);
  const text = hide(deps.redact(response.text));
  const reasoning = response.reasoning === undefined ? undefined : hide(deps.redact(response.reasoning));
  const opaque = await keepOpaque(deps, request_id, { session_id, opaque: response.opaque });
  const answered: EventInput<"llm.response"> = {
    type: "llm.response",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      status: "ok",
      text,
      tool_calls,
      finish_reason: response.finish_reason,
      ...(response.finish_raw === undefined ? {} : { finish_raw: deps.redact(response.finish_raw) }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(response.output === undefined ? {} : { output: deps.redact(response.output) }),
      ...(response.answer_mode === undefined ? {} : { answer_mode: response.answer_mode }),
      ...(opaque === undefined ? {} : { opaque }),
      usage: recordedUsage(all),
      provider: deps.provider.id,
      model: response.model,
      ...(response.model_version === undefined ? {} : { model_version: response.model_version }),
      ...(attempts.count > 1 ? { attempts: attempts.count } : {}),
      duration_ms,
      response_hash: sha256(canonicalJson({ text, tool_calls })),
      ...(sealed.length > 0 ? { sealed } : {}),
    },
  };
  // An answer that was paid for is not requested again after a crash: on disk before hooks of the workspace act on it, otherwise
  // with what the answer leads to, and in any case once the log is idle for a moment.
  const recorded = deps.hooksAct() ? await request.recorder.append(answered) : request.recorder.stage(answered);
  const settled = await attempts.settle(last);
  if (!recorded.ok) return recorded;
  if (!settled.ok) return settled;
  const noted = noteReads(deps, request, request_id, { reads, tool_calls });
  if (!noted.ok) return noted;
  const answer = {
    request_id,
    text,
    tool_calls,
    finish_reason: response.finish_reason,
    usage: { ...all, cost_usd: all.usd ?? 0 },
    model: response.model,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(opaque === undefined ? {} : { opaque }),
    duration_ms,
  };
  remember(request, answer);
  return ok(answer);
}

/** Records how the arguments of calls were read, as redaction left them. On disk before any of the calls is made. */
function noteReads(
  { redact }: Pick<ExchangeDeps, "redact">,
  { recorder, role }: PromptRequest,
  request_id: string,
  { reads, tool_calls }: { readonly reads: readonly ReadCall[]; readonly tool_calls: readonly ToolCall[] },
): Result<void> {
  for (const [index, { id, name, args }] of tool_calls.entries()) {
    const { steps = [], text = "" } = reads[index] ?? {};
    const of = { request_id, role, schema_id: name === "" ? "arguments" : name, call_id: id, text: redact(text) };
    const recorded = recordRead(recorder, of, { value: args as JsonValue, steps });
    if (!recorded.ok) return recorded;
  }
  return ok(undefined);
}

export function remember(
  { conversation, calls }: PromptRequest,
  { text, tool_calls, opaque }: Pick<PromptResponse, "text" | "tool_calls" | "opaque">,
): void {
  calls.knowCalls(tool_calls);
  conversation.add(answerMessage(text, tool_calls, opaque));
}

/** What a provider wants back, behind a handle: a signature holds for the true bytes, and the record has none of those. */
async function keepOpaque(
  deps: ExchangeDeps,
  request_id: string,
  { session_id, opaque }: { readonly session_id: string; readonly opaque: CompletionResponse["opaque"] },
): Promise<string | undefined> {
  if (!opaque || !deps.seals) return undefined;
  const kept = await deps.seals.keep(canonicalJson(opaque), { session_id, origin: { from: "model", request_id } });
  return kept.ok ? kept.value.handle : undefined; // without it the provider gets the text alone, as another one would
}

/** Answers a fork's call from its parent's record: recorded in the fork too, with no attempt and no second payment. */
export async function reused(
  deps: ExchangeDeps,
  request: PromptRequest,
  { request_id, reservation }: { readonly request_id: string; readonly reservation: Reservation },
  { session_id, payload: response }: Event<"llm.response">,
): Promise<Result<PromptResponse>> {
  const adopted = await deps.seals?.adopt(
    [response.tool_calls, response.opaque],
    session_id,
    request.recorder.session_id,
  );
  if (adopted && !adopted.ok) return adopted;
  const recorded = await request.recorder.append({
    type: "llm.response",
    actor: request.role,
    payload: {
      ...response,
      request_id,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      duration_ms: 0,
      attempts: 0,
    },
  });
  await settleNothing(deps, reservation, request);
  if (!recorded.ok) return recorded;
  const answer = answerOf(request_id, recorded.value.payload);
  if (answer.ok) remember(request, answer.value);
  return answer;
}

/** A failed call has an `llm.response` in the log too, with what its attempts were settled at. */
export async function failed(
  deps: ExchangeDeps,
  request: PromptRequest,
  { request_id, attempts, duration_ms }: Exchange,
  error: DomainError,
): Promise<Result<never>> {
  const { last, all } = attempts.billed((reserved) => usageOfFailure(error, reserved));
  const recorded = await request.recorder.append({
    type: "llm.response",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      status: "error",
      usage: recordedUsage(all),
      provider: deps.provider.id,
      ...(attempts.count > 1 ? { attempts: attempts.count } : {}),
      duration_ms,
      error: { code: error.code, message: error.message, retryable: error.retryable },
    },
  });
  const settled = await attempts.settle(last);
  if (!recorded.ok) return recorded;
  return settled.ok ? err(error) : settled;
}

export async function settleNothing(
  deps: ExchangeDeps,
  reservation: Reservation,
  request: PromptRequest,
): Promise<void> {
  await deps.budgeter.settle(
    reservation,
    { input_tokens: 0, output_tokens: 0, usd: 0, estimated: false },
    { recorder: request.recorder },
  );
}
