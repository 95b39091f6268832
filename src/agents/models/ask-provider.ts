import type { SchemaRegistry } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, parseJson, type Result } from "#core/values";
import type { SealedValues } from "#log/redaction";
import { type AttachedBytes, openFiles } from "./attached-files.ts";
import {
  type AnyCompletionResponse,
  type CompletionRequest,
  type CompletionResponse,
  liftResponse,
} from "./completion.ts";
import type { CompletionParameters } from "./completion-parameters.ts";
import type { LearnedRefusal } from "./facts/known-refusals.ts";
import type { PromptRequest } from "./prompt.ts";
import type { Attempts, Provider } from "./provider.ts";
import { type TextFilter, watchText } from "./text-filter.ts";
import { withTimeLimit } from "./time-limit.ts";
import { believeUsage } from "./usage.ts";

export interface AskDependencies {
  readonly provider: Provider;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly redactStream: () => TextFilter;
  readonly seals?: SealedValues | undefined;
  readonly attachments?: AttachedBytes | undefined;
  /** Whether a model sees pictures; undefined where that is not known. */
  readonly seesImages?: (model: string) => boolean | undefined;
}

type Opaque = NonNullable<CompletionResponse["opaque"]>;

/** What earlier answers of the conversation have to go back with. A value that has expired goes back without it. */
async function openOpaque({ seals }: AskDependencies, { conversation, recorder }: PromptRequest) {
  const found = new Map<string, Opaque>();
  const handles = conversation.messages.flatMap(({ opaque }) => (opaque === undefined ? [] : [opaque]));
  if (!seals || handles.length === 0) return found;
  const opened = await seals.open(handles, recorder.session_id);
  if (!opened.ok) return found;
  for (const { handle, origin, value } of opened.value.opened) {
    const parsed = origin.from === "model" && typeof value === "string" ? parseJson(value) : undefined;
    if (parsed?.ok) found.set(handle, parsed.value as unknown as Opaque);
  }
  return found;
}

function learnedPayload({ model, refused, said }: LearnedRefusal) {
  const [[what, value] = ["parameter", ""]] = Object.entries(refused);
  return { model, what: what as "mode" | "api" | "parameter", value: value, said };
}

/** Has the provider answer a call that was announced; each attempt that failed is in the record, or the answer does not count. */
export async function askProvider(
  deps: AskDependencies,
  request: PromptRequest,
  announced: { readonly call: number; readonly parameters: CompletionParameters; readonly attempts: Attempts },
): Promise<Result<CompletionResponse>> {
  const { call, parameters, attempts } = announced;
  const { generation: _, timeout_ms, ...rest } = parameters;
  const completion = { ...rest, messages: request.conversation.messages } as unknown as CompletionRequest;
  const watched = request.onText ? watchText(request.onText, deps.redactStream) : undefined;
  const reasoned = request.onReasoning ? watchText(request.onReasoning, deps.redactStream) : undefined;
  let recorded: Result<unknown> = ok(undefined);
  const watchedAttempts: Attempts = {
    async failed(attempt) {
      watched?.restart();
      reasoned?.restart();
      request.onRestart?.();
      const staged = await attempts.failed(attempt);
      if (recorded.ok) recorded = staged;
      return staged;
    },
    again: (attempt) => attempts.again(attempt),
  };
  const meta = {
    role: request.role,
    skill: request.skill,
    ...(request.persona === undefined ? {} : { persona: request.persona }),
    call,
    session_id: request.recorder.session_id,
    prompt: request.prompt,
    contract_id: request.contract_id,
  };
  const opaque = await openOpaque(deps, request);
  const sees = deps.seesImages?.(completion.model);
  const files = await openFiles(request.conversation.messages, deps.attachments, sees);
  if (!files.ok) return files;
  const onLearned = (refusal: LearnedRefusal) => {
    const staged = request.recorder.stage({
      type: "provider.learned",
      actor: "router",
      payload: learnedPayload(refusal),
    });
    if (recorded.ok && !staged.ok) recorded = staged;
  };
  const answered = await withTimeLimit(deps.clock, timeout_ms, request.signal, async (signal) => {
    try {
      return await deps.provider.complete({
        request: completion,
        meta,
        signal,
        attempts: watchedAttempts,
        onLearned,
        opaque: (handle) => opaque.get(handle),
        attachment: (sha256) => files.value.get(sha256),
        ...(watched ? { onText: watched.push } : {}),
        ...(reasoned ? { onReasoning: reasoned.push } : {}),
      });
    } catch (thrown) {
      return err(domainError("PROVIDER_ERROR", `${deps.provider.id} broke: ${messageOf(thrown)}`, { cause: thrown }));
    }
  });
  reasoned?.end(answered.ok);
  watched?.end(answered.ok);
  if (!recorded.ok) return recorded; // an answer whose attempts are not in the record counts for nothing
  return answered.ok ? wellFormed(deps, answered.value) : answered;
}

function wellFormed(deps: AskDependencies, answered: AnyCompletionResponse): Result<CompletionResponse> {
  const form = answered.schema_version === "v2" ? "completion_response_v2" : "completion_response_v1";
  const checked = deps.schemas.validate(form, { ...answered, usage: wellFormedUsage(answered) });
  if (checked.ok) return ok(liftResponse(answered));
  return err(
    domainError("PROVIDER_ERROR", `${deps.provider.id} answered outside its contract: ${checked.error.message}`, {
      details: checked.error.details,
    }),
  );
}

/** The figures are judged apart (`believeUsage`); their absence alone makes no answer invalid. */
function wellFormedUsage(response: AnyCompletionResponse) {
  const usage = believeUsage(response.usage, { input_tokens: 0, output_tokens: 0 });
  return { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
}
