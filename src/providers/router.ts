import {
  type Clock,
  canonicalJson,
  type DomainError,
  domainError,
  err,
  type IdSource,
  messageOf,
  ok,
  type Result,
  sha256,
} from "#base";
import { type Budgeter, costOf, type PriceTable, type Reservation } from "#budget";
import type { CompletionRequestV1, CompletionResponseV1, SchemaRegistry } from "#schemas";
import { type CircuitBreaker, type CircuitLimits, createCircuitBreaker } from "./circuit-breaker.ts";
import { estimateTokens, rollingHash } from "./conversation.ts";
import { modelFor, type RuntimeProfile } from "./profile.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import type { FailedAttempt, Provider } from "./provider.ts";
import { type TextFilter, watchText } from "./text-filter.ts";
import { withTimeLimit } from "./time-limit.ts";
import { believeUsage } from "./usage.ts";

/** The only door to a model. Refuses, reserves, announces durably, asks, records, settles, and only then answers. */
export interface Router {
  send(request: PromptRequest): Promise<Result<PromptResponse>>;
}

export interface RouterDependencies {
  readonly profile: RuntimeProfile;
  readonly provider: Provider;
  readonly budgeter: Budgeter;
  readonly prices: PriceTable;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly circuit: CircuitLimits;
  /**
   * The redactor of the log, applied before anything is hashed or sent: a hash of what the log leaves out could be
   * guessed back, and a resumed session would not see what this one saw.
   */
  readonly redact: <T>(value: T) => T;
  /** The same for text that arrives in pieces: nobody sees a piece that it has not passed. */
  readonly redactStream: () => TextFilter;
  /** Whether this author may prompt at all; governance answers. */
  readonly authorize: (request: PromptRequest) => Result<void>;
}

/** The least output that is worth asking for. */
const leastOutput = 16;

export function createRouter(dependencies: RouterDependencies): Router {
  const breaker = createCircuitBreaker(dependencies.provider.id, dependencies.circuit, dependencies.clock);
  return { send: (request) => send(dependencies, breaker, request) };
}

async function send(
  deps: RouterDependencies,
  breaker: CircuitBreaker,
  asked: PromptRequest,
): Promise<Result<PromptResponse>> {
  const { profile, clock } = deps;
  const request = { ...asked, messages: deps.redact(asked.messages) };
  const request_id = deps.ids.sortable("PRQ");
  const model = modelFor(profile, request.role);
  const refuse = async (error: DomainError): Promise<Result<never>> => {
    const recorded = await request.recorder.append({
      type: "llm.refused",
      actor: "router",
      payload: { request_id, role: request.role, code: error.code, reason: error.message },
    });
    return recorded.ok ? err(error) : recorded;
  };

  const admitted = deps.authorize(request);
  if (!admitted.ok) return refuse(admitted.error);
  const closed = breaker.admit();
  if (!closed.ok) return refuse(closed.error);

  const newTokens = request.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  const reserved = await deps.budgeter.reserve(
    request.budget,
    {
      model,
      input_tokens: request.conversation.tokens + newTokens,
      output_wanted: profile.roles[request.role]?.max_tokens ?? profile.max_tokens,
      output_least: leastOutput,
    },
    { recorder: request.recorder, signal: request.signal },
  );
  if (!reserved.ok) return refuse(reserved.error);
  const reservation = reserved.value;

  const parameters = completionParameters(profile, request, model, reservation);
  // Earlier messages were checked when they were new: checking them again would cost the square of the conversation.
  const checked = deps.schemas.validate("completion_request_v1", { ...parameters, messages: request.messages });
  if (!checked.ok) {
    await settleNothing(deps, reservation, request);
    return refuse(checked.error);
  }

  const call = request.calls.next(request.role);
  const announced = await request.recorder.append({
    type: "llm.request",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      agent_id: request.author.agent_id,
      work_order_id: request.author.work_order_id,
      contract_id: request.contract_id,
      profile: profile.name,
      provider: deps.provider.id,
      model,
      ...(request.fallback_from === undefined ? {} : { fallback_from: request.fallback_from }),
      call,
      conversation_id: request.conversation.id,
      new_messages: request.messages as never,
      message_count: request.conversation.messages.length + request.messages.length,
      conversation_hash: request.messages.reduce(rollingHash, request.conversation.hash),
      tools: request.tools.map((tool) => tool.name),
      ...parameters.generation,
      skill: request.skill,
      request_hash: sha256(canonicalJson({ model, messages: request.messages, ...parameters.generation })),
      ...(request.context_hash === undefined ? {} : { context_hash: request.context_hash }),
    },
  });
  if (!announced.ok) {
    await settleNothing(deps, reservation, request);
    return announced;
  }
  for (const message of request.messages) request.conversation.add(message);

  const started = clock.monotonic();
  const { answered, attempts } = await ask(deps, request, request_id, call, parameters);
  const exchange = { request_id, reservation, attempts, duration_ms: round(clock.monotonic() - started) };
  if (answered.ok) {
    breaker.succeeded();
    return received(deps, request, exchange, answered.value);
  }
  // A canceled call and a refusal that the caller has to mend say nothing about the provider's health.
  if (answered.error.kind === "provider" && answered.error.retryable) breaker.failed();
  else breaker.abandoned();
  return failed(deps, request, exchange, answered.error);
}

function completionParameters(
  profile: RuntimeProfile,
  request: PromptRequest,
  model: string,
  reservation: Reservation,
) {
  const temperature = profile.roles[request.role]?.temperature ?? profile.temperature;
  const generation = { max_tokens: reservation.output_tokens, ...(temperature === undefined ? {} : { temperature }) };
  return { model, generation, ...generation, tools: request.tools, schema_version: "v1" as const };
}

/** One prompt on its way: what it was announced as and what it took. */
interface Exchange {
  readonly request_id: string;
  readonly reservation: Reservation;
  readonly attempts: number;
  readonly duration_ms: number;
}

async function ask(
  deps: RouterDependencies,
  request: PromptRequest,
  request_id: string,
  call: number,
  parameters: ReturnType<typeof completionParameters>,
): Promise<{ readonly answered: Result<CompletionResponseV1>; readonly attempts: number }> {
  const { generation: _, ...rest } = parameters;
  const completion = { ...rest, messages: request.conversation.messages } as unknown as CompletionRequestV1;
  const watched = request.onText ? watchText(request.onText, deps.redactStream) : undefined;
  let attempts = 1;
  const onAttempt = (attempt: FailedAttempt) => {
    attempts += 1;
    watched?.restart();
    request.recorder.stage({
      type: "llm.attempt",
      actor: "router",
      payload: { request_id, attempt: attempt.attempt, error: attempt.error, retry_in_ms: attempt.retryInMs },
    });
  };
  const meta = {
    role: request.role,
    skill: request.skill,
    call,
    session_id: request.recorder.session_id,
    prompt: request.prompt,
  };
  const answered = await withTimeLimit(deps.clock, deps.profile.timeout_ms, request.signal, async (signal) => {
    try {
      return await deps.provider.complete({
        request: completion,
        meta,
        signal,
        onAttempt,
        ...(watched ? { onText: watched.push } : {}),
      });
    } catch (thrown) {
      return err(domainError("PROVIDER_ERROR", `${deps.provider.id} broke: ${messageOf(thrown)}`, { cause: thrown }));
    }
  });
  watched?.end(answered.ok);
  return { answered: answered.ok ? wellFormed(deps, answered.value) : answered, attempts };
}

function wellFormed(deps: RouterDependencies, response: CompletionResponseV1): Result<CompletionResponseV1> {
  const checked = deps.schemas.validate("completion_response_v1", { ...response, usage: wellFormedUsage(response) });
  if (checked.ok) return ok(response);
  return err(
    domainError("PROVIDER_ERROR", `${deps.provider.id} answered outside its contract: ${checked.error.message}`, {
      details: checked.error.details,
    }),
  );
}

/** The figures are judged apart (`believeUsage`); their absence alone makes no answer invalid. */
function wellFormedUsage(response: CompletionResponseV1) {
  const usage = believeUsage(response.usage, { input_tokens: 0, output_tokens: 0 });
  return { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
}

async function received(
  deps: RouterDependencies,
  request: PromptRequest,
  { request_id, reservation, attempts, duration_ms }: Exchange,
  response: CompletionResponseV1,
): Promise<Result<PromptResponse>> {
  const usage = believeUsage(response.usage, reservation);
  const cost_usd = costOf(deps.prices, response.model, usage);
  const { text, tool_calls } = deps.redact({
    text: response.text,
    tool_calls: response.tool_calls,
  });
  const recorded = await request.recorder.append({
    type: "llm.response",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      status: "ok",
      text,
      tool_calls,
      finish_reason: response.finish_reason,
      usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_usd,
        ...(usage.estimated ? { estimated: true } : {}),
      },
      provider: deps.provider.id,
      model: response.model,
      ...(typeof response["model_version"] === "string" ? { model_version: response["model_version"] } : {}),
      ...(attempts > 1 ? { attempts } : {}),
      duration_ms,
      response_hash: sha256(canonicalJson({ text, tool_calls })),
    },
  });
  const settled = await deps.budgeter.settle(reservation, { ...usage, usd: cost_usd }, { recorder: request.recorder });
  if (!recorded.ok) return recorded;
  if (!settled.ok) return settled;
  request.conversation.add({ role: "assistant", content: text, ...(tool_calls.length > 0 ? { tool_calls } : {}) });
  return ok({
    request_id,
    text,
    tool_calls,
    finish_reason: response.finish_reason,
    usage: { ...usage, cost_usd },
    model: response.model,
    duration_ms,
  });
}

/** A call that failed still has its answer in the log; what it cost is unknown, so the whole reservation counts. */
async function failed(
  deps: RouterDependencies,
  request: PromptRequest,
  { request_id, reservation, attempts, duration_ms }: Exchange,
  error: DomainError,
): Promise<Result<never>> {
  const notSent = error.details["sent"] === false;
  const usage = notSent
    ? { input_tokens: 0, output_tokens: 0, estimated: false }
    : believeUsage(error.details["usage"], reservation);
  const cost_usd = costOf(deps.prices, modelFor(deps.profile, request.role), usage);
  const recorded = await request.recorder.append({
    type: "llm.response",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      status: "error",
      usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cost_usd,
        ...(usage.estimated ? { estimated: true } : {}),
      },
      provider: deps.provider.id,
      ...(attempts > 1 ? { attempts } : {}),
      duration_ms,
      error: { code: error.code, message: error.message, retryable: error.retryable },
    },
  });
  const settled = await deps.budgeter.settle(reservation, { ...usage, usd: cost_usd }, { recorder: request.recorder });
  if (!recorded.ok) return recorded;
  return settled.ok ? err(error) : settled;
}

async function settleNothing(
  deps: RouterDependencies,
  reservation: Reservation,
  request: PromptRequest,
): Promise<void> {
  await deps.budgeter.settle(
    reservation,
    { input_tokens: 0, output_tokens: 0, usd: 0, estimated: false },
    { recorder: request.recorder },
  );
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
