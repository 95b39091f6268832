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
import { type Budgeter, type PriceTable, type Reservation } from "#budget";
import type { RecordedRequest } from "#events";
import type { CompletionRequestV1, CompletionResponseV1, PromptContractV1, SchemaRegistry } from "#schemas";
import { admitPrompt } from "./admit-prompt.ts";
import { checkOutput } from "./check-output.ts";
import { type CircuitBreaker, type CircuitLimits, createCircuitBreaker } from "./circuit-breaker.ts";
import { estimateTokens, rollingHash } from "./conversation.ts";
import { failed, received, remember, reused, settleNothing } from "./end-exchange.ts";
import { modelFor, type RuntimeProfile } from "./profile.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import type { FailedAttempt, Provider } from "./provider.ts";
import { answerOf, isAnswer, reservationOf } from "./recorded-answer.ts";
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
}

/** The least output that is worth asking for. */
const leastOutput = 16;

export function createRouter(dependencies: RouterDependencies): Router {
  const breaker = createCircuitBreaker(dependencies.provider.id, dependencies.circuit, dependencies.clock);
  return {
    async send(request) {
      const answered = await send(dependencies, breaker, request);
      return answered.ok ? judged(dependencies, request, answered.value) : answered;
    },
  };
}

/** The last word of an answer is held against its contract, whether it came now or stands in the record. */
function judged(deps: RouterDependencies, request: PromptRequest, answer: PromptResponse): Result<PromptResponse> {
  const contract = request.author.law.contracts.find(({ contract_id }) => contract_id === request.contract_id);
  if (!contract || answer.tool_calls.length > 0) return ok(answer);
  const problem = checkOutput(contract, answer.text, { ...deps, ...request });
  if (!problem.ok) return problem;
  return ok(problem.value ? { ...answer, problem: problem.value } : answer);
}

/** A call that the log knows is answered from it, and the model is not asked. One that has no answer there is made again. */
async function send(
  deps: RouterDependencies,
  breaker: CircuitBreaker,
  asked: PromptRequest,
): Promise<Result<PromptResponse>> {
  const request = { ...asked, messages: deps.redact(asked.messages) };
  const hash = request.messages.reduce(rollingHash, request.conversation.hash);
  let again: Again | undefined;
  for (;;) {
    const recorded = request.recorder.past?.takeRequest(request.role, hash);
    if (!recorded) return sendNow(deps, breaker, request, hash, { again });
    if (request.recorder.past?.of === "parent") return sendNow(deps, breaker, request, hash, { recorded });
    const taken = await takeUp(deps, request, recorded, again !== undefined);
    if (taken !== "again") return taken;
    again = { call: recorded.request.payload.call };
  }
}

/** A call that is made for the second time keeps its number. */
interface Again {
  readonly call: number;
}

async function takeUp(
  deps: RouterDependencies,
  request: PromptRequest,
  recorded: RecordedRequest,
  repeats: boolean,
): Promise<Result<PromptResponse> | "again"> {
  const { request_id } = recorded.request.payload;
  const reservation = reservationOf(request, recorded);
  if (!reservation.ok) return reservation;
  const adopted = deps.budgeter.adopt(reservation.value, { repeats });
  if (!adopted.ok) return adopted;
  const response = recorded.response?.payload;
  if (!response) {
    const error = domainError("INTERRUPTED", "the process that asked ended before the answer was recorded");
    const exchange = { request_id, reservation: reservation.value, attempts: 0, duration_ms: 0 };
    const ended = await failed(deps, request, exchange, error);
    return ended.ok || ended.error !== error ? ended : "again";
  }
  const { usage } = response;
  const settled = await deps.budgeter.settle(
    reservation.value,
    {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      usd: usage.cost_usd ?? 0,
      estimated: usage.estimated === true,
    },
    { recorder: request.recorder },
  );
  if (!settled.ok) return settled;
  if (!isAnswer(response)) return "again";
  for (const message of request.messages) request.conversation.add(message);
  const answer = answerOf(request_id, response);
  if (answer.ok) remember(request, answer.value.text, answer.value.tool_calls);
  return answer;
}

async function sendNow(
  deps: RouterDependencies,
  breaker: CircuitBreaker,
  request: PromptRequest,
  conversation_hash: string,
  before: { readonly again?: Again | undefined; readonly recorded?: RecordedRequest },
): Promise<Result<PromptResponse>> {
  const { profile, clock } = deps;
  const { again, recorded } = before;
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

  const admitted = admitPrompt(request, model);
  if (!admitted.ok) return refuse(admitted.error);
  const boundary = admitted.value?.boundary ?? {};
  const closed = breaker.admit();
  if (!closed.ok) return refuse(closed.error);

  const newTokens = request.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  const reserved = await deps.budgeter.reserve(
    request.budget,
    {
      model,
      input_tokens: request.conversation.tokens + newTokens,
      output_wanted: Math.min(
        profile.roles[request.role]?.max_tokens ?? profile.max_tokens,
        boundary.max_tokens ?? Number.POSITIVE_INFINITY,
      ),
      output_least: leastOutput,
      ...(again ? { repeats: true } : {}),
    },
    { recorder: request.recorder, signal: request.signal },
  );
  if (!reserved.ok) {
    breaker.abandoned(); // a probe that asks nobody gives its place back, or nobody would ever probe again
    return refuse(reserved.error);
  }
  const reservation = reserved.value;

  const parameters = completionParameters(profile, request, { model, reservation, boundary });
  // Earlier messages were checked when they were new: checking them again would cost the square of the conversation.
  const checked = deps.schemas.validate("completion_request_v1", { ...parameters, messages: request.messages });
  if (!checked.ok) {
    breaker.abandoned();
    await settleNothing(deps, reservation, request);
    return refuse(checked.error);
  }

  const call = again?.call ?? request.calls.next(request);
  const announced = await request.recorder.append({
    type: "llm.request",
    actor: request.role,
    payload: {
      request_id,
      role: request.role,
      ...(request.persona === undefined ? {} : { persona: request.persona }),
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
      conversation_hash,
      tools: request.tools.map((tool) => tool.name),
      ...parameters.generation,
      skill: request.skill,
      reserved: {
        reservation_id: reservation.id,
        input_tokens: reservation.input_tokens,
        output_tokens: reservation.output_tokens,
        usd: reservation.usd,
      },
      request_hash: sha256(canonicalJson({ model, messages: request.messages, ...parameters.generation })),
      ...(request.context_hash === undefined ? {} : { context_hash: request.context_hash }),
    },
  });
  if (!announced.ok) {
    breaker.abandoned();
    await settleNothing(deps, reservation, request);
    return announced;
  }
  for (const message of request.messages) request.conversation.add(message);

  if (isAnswer(recorded?.response?.payload)) {
    breaker.abandoned();
    return reused(deps, request, request_id, reservation, recorded.response.payload);
  }
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
  terms: { readonly model: string; readonly reservation: Reservation; readonly boundary: Boundary },
) {
  const { model, reservation, boundary } = terms;
  const temperature = boundary.temperature ?? profile.roles[request.role]?.temperature ?? profile.temperature;
  const generation = { max_tokens: reservation.output_tokens, ...(temperature === undefined ? {} : { temperature }) };
  const timeout_ms = Math.min(profile.timeout_ms, boundary.timeout_ms ?? Number.POSITIVE_INFINITY);
  return { model, generation, timeout_ms, ...generation, tools: request.tools, schema_version: "v1" as const };
}

type Boundary = NonNullable<PromptContractV1["boundary"]>;

async function ask(
  deps: RouterDependencies,
  request: PromptRequest,
  request_id: string,
  call: number,
  parameters: ReturnType<typeof completionParameters>,
): Promise<{ readonly answered: Result<CompletionResponseV1>; readonly attempts: number }> {
  const { generation: _, timeout_ms, ...rest } = parameters;
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
    ...(request.persona === undefined ? {} : { persona: request.persona }),
    call,
    session_id: request.recorder.session_id,
    prompt: request.prompt,
    contract_id: request.contract_id,
  };
  const answered = await withTimeLimit(deps.clock, timeout_ms, request.signal, async (signal) => {
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

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
