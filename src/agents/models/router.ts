import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, type IdSource, ok, type Result } from "#core/values";
import type { RecordedRequest } from "#log";
import type { SealedValues } from "#log/redaction";
import type { Budgeter, Reservation } from "../budget/budgeter.ts";
import type { Price } from "../budget/prices.ts";
import { estimateTokens, rollingHash } from "../conversation/conversation.ts";
import { admitPrompt } from "./admit-prompt.ts";
import { announceCall, type CallTerms } from "./announce-call.ts";
import { askProvider } from "./ask-provider.ts";
import { type AttachedBytes, refuseUnseen } from "./attached-files.ts";
import { checkOutput } from "./check-output.ts";
import { type CircuitBreaker, type CircuitLimits, createCircuitBreaker } from "./circuit-breaker.ts";
import { type Boundary, completionParameters } from "./completion-parameters.ts";
import { failed, received, remember, reused, settleNothing } from "./end-exchange.ts";
import { PaidAttempts } from "./paid-attempts.ts";
import { modelFor, type RuntimeProfile } from "./profile.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import type { Provider } from "./provider.ts";
import { exchange } from "./raw/exchange.ts";
import type { RawProvider } from "./raw/raw-provider.ts";
import type { RawRequest } from "./raw/raw-request.ts";
import { stripReasoning } from "./reader/strip-reasoning.ts";
import { answerOf, isAnswer, reservationOf } from "./recorded-answer.ts";
import { type OutputRoom, repairAnswer } from "./repair-answer.ts";
import type { TextFilter } from "./text-filter.ts";

/** The only way to a model. Checks, reserves, announces durably, calls the provider, records, settles, and only then returns. */
export interface Router {
  send(request: PromptRequest): Promise<Result<PromptResponse>>;
  /** A program's request in the words of its dialect; absent where no server is behind the profile. */
  exchange?(request: PromptRequest, raw: RawRequest): Promise<Result<void>>;
  /** Whether the server behind the profile takes requests of a dialect. */
  speaks?(dialect: string): boolean;
  /** Whether the profile is for this model. */
  serves?(model: string): boolean;
  /** What the model of a role takes in, in tokens; undefined where it is not known. */
  windowOf?(role: string): number | undefined;
  /** Whether the model of a role sees pictures; undefined where it is not known. */
  seesImages?(role: string): boolean | undefined;
}

export interface RouterDependencies {
  readonly profile: RuntimeProfile;
  readonly provider: Provider;
  /** The server behind it in its own words, where there is one. */
  readonly wire?: RawProvider | undefined;
  readonly budgeter: Budgeter;
  /** Undefined where no price is known. */
  readonly priceOf: (model: string) => Price | undefined;
  /** The most that one answer of a model can be; undefined where it is not known. */
  readonly maxOutputOf?: (model: string) => number | undefined;
  /** What a model takes in; undefined where it is not known. */
  readonly windowOf?: (model: string) => number | undefined;
  /** Whether a model sees pictures; undefined where it is not known. */
  readonly seesImages?: (model: string) => boolean | undefined;
  /** The bytes of files that messages name by their hash. */
  readonly attachments?: AttachedBytes;
  /** Roles may not speak without a prompt contract. */
  readonly contractsRequired: boolean;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly circuit: CircuitLimits;
  /**
   * The redactor of the log, applied before anything is hashed or sent: a redacted secret could be guessed from a hash of
   * the full text, and a resumed session would send other messages than this one.
   */
  readonly redact: <T>(value: T) => T;
  /** Whether code of the workspace acts between an answer and the event that announces what follows from it. */
  readonly hooksAct: () => boolean;
  /** Keeps what is redacted of a call's arguments: the tool gets it as the model wrote it. Absent: such a call is refused. */
  readonly seals?: SealedValues | undefined;
  /** The same for streamed text: a chunk is shown only after it has passed this filter. */
  readonly redactStream: () => TextFilter;
}

/** The smallest output that is worth a call. */
const leastOutput = 16;

export function createRouter(dependencies: RouterDependencies): Router {
  const breaker = createCircuitBreaker(dependencies.provider.id, dependencies.circuit, dependencies.clock);
  const { wire, profile } = dependencies;
  const servedModels = new Set([profile.model, ...Object.keys(profile.roles).map((role) => modelFor(profile, role))]);
  return {
    ...(wire
      ? {
          exchange: (request, raw) => exchange({ ...dependencies, wire }, breaker, request, raw),
          speaks: (dialect) => wire.speaks(dialect),
          serves: (model) => servedModels.has(model),
        }
      : {}),
    windowOf: (role) => dependencies.windowOf?.(modelFor(dependencies.profile, role)),
    seesImages: (role) => dependencies.seesImages?.(modelFor(dependencies.profile, role)),
    async send(request) {
      const room = outputRoom(dependencies, request);
      const answered = await repairAnswer(request, room, (each) => send(dependencies, breaker, each));
      return answered.ok ? judged(dependencies, request, answered.value) : answered;
    },
  };
}

/** The room for an answer: what the profile allows at first, and what the model can put out where that was not enough. */
function outputRoom({ profile, maxOutputOf }: RouterDependencies, request: PromptRequest): OutputRoom {
  const contract = request.author.inForce.contracts.find(({ contract_id }) => contract_id === request.contract_id);
  const bound = contract?.boundary?.max_tokens;
  const wanted = profile.roles[request.role]?.max_tokens ?? profile.max_tokens;
  const most = maxOutputOf?.(modelFor(profile, request.role)) ?? wanted * 4;
  if (bound !== undefined && bound <= wanted)
    return { allowed: bound, most: bound, setting: `boundary.max_tokens of ${request.contract_id}` };
  return { allowed: wanted, most: Math.min(most, bound ?? most), setting: "max_output_tokens" };
}

/** Checks the final text of an answer against its contract, whether the provider gave it now or the record holds it. */
function judged(deps: RouterDependencies, request: PromptRequest, answer: PromptResponse): Result<PromptResponse> {
  const contract = request.author.inForce.contracts.find(({ contract_id }) => contract_id === request.contract_id);
  if (answer.tool_calls.length > 0) return ok(answer);
  if (contract?.output_schema === undefined && request.answer === undefined) return ok(withoutReasoning(answer));
  if (!contract) return ok(answer);
  const { request_id, text } = answer;
  const checked = checkOutput(contract, { request_id, text }, { ...deps, ...request });
  return checked.ok ? ok({ ...answer, ...checked.value }) : checked;
}

/** What a model thought aloud before its answer is no part of it; a document's reader takes it off by itself. */
function withoutReasoning(answer: PromptResponse): PromptResponse {
  const stripped = stripReasoning(answer.text);
  if (!stripped || stripped.text === "") return answer;
  const reasoning = [answer.reasoning, stripped.reasoning].filter((each) => each !== undefined && each !== "");
  return { ...answer, text: stripped.text, reasoning: reasoning.join("\n\n") };
}

/** A call that the log knows is answered from the log, without the model. One that has no answer there is made again. */
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
    if (!recorded) return sendNow(deps, breaker, request, { hash, again });
    if (request.recorder.past?.of === "parent") return sendNow(deps, breaker, request, { hash, recorded });
    const taken = await resumeRequest(deps, request, recorded, again !== undefined);
    if (taken !== "again") return taken;
    again = { call: recorded.request.payload.call };
  }
}

/** A call that is repeated keeps its number. */
interface Again {
  readonly call: number;
}

async function resumeRequest(
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
  const attempts = paidAttempts(deps, request, {
    request_id,
    reservation: reservation.value,
    model: recorded.request.payload.model,
    boundary: {},
  });
  const known = await attempts.adopt(recorded.attempts);
  if (!known.ok) return known;
  const response = recorded.response?.payload;
  if (!response) {
    const error = domainError("INTERRUPTED", "the process that asked ended before the answer was recorded");
    const ended = await failed(deps, request, { request_id, attempts, duration_ms: 0 }, error);
    return ended.ok || ended.error !== error ? ended : "again";
  }
  const settled = await attempts.settleRecorded(response.usage);
  if (!settled.ok) return settled;
  if (!isAnswer(response)) return "again";
  for (const message of request.messages) request.conversation.add(message);
  const answer = answerOf(request_id, response);
  if (answer.ok) remember(request, answer.value);
  return answer;
}

/** The hash of the conversation, and the part of the call that the record holds already. */
interface CallToMake {
  readonly hash: string;
  readonly again?: Again | undefined;
  readonly recorded?: RecordedRequest;
}

async function sendNow(
  deps: RouterDependencies,
  breaker: CircuitBreaker,
  request: PromptRequest,
  { hash: conversation_hash, again, recorded }: CallToMake,
): Promise<Result<PromptResponse>> {
  const request_id = deps.ids.sortable("PRQ");
  const terms = await agreeTerms(deps, breaker, request, again !== undefined);
  if (!terms.ok) return refused(request, request_id, terms.error);
  const { reservation, parameters } = terms.value;
  const call = again?.call ?? request.calls.next(request);
  const announced = await announceCall(deps, request, { request_id, call, conversation_hash, ...terms.value });
  if (!announced.ok) {
    breaker.abandoned();
    await settleNothing(deps, reservation, request);
    return announced;
  }
  for (const message of request.messages) request.conversation.add(message);

  if (recorded?.response && isAnswer(recorded.response.payload)) {
    breaker.abandoned();
    return reused(deps, request, { request_id, reservation }, recorded.response);
  }
  const started = deps.clock.monotonic();
  const attempts = paidAttempts(deps, request, { request_id, ...terms.value, model: parameters.model });
  const answered = await askProvider(deps, request, { call, parameters, attempts });
  attempts.end();
  const exchange = { request_id, attempts, duration_ms: round(deps.clock.monotonic() - started) };
  if (answered.ok) {
    breaker.succeeded();
    return received(deps, request, exchange, answered.value);
  }
  // A canceled call and an error that the caller has to fix say nothing about the provider's health.
  if (answered.error.kind === "provider" && answered.error.retryable) breaker.failed();
  else breaker.abandoned();
  return failed(deps, request, exchange, answered.error);
}

/** Checks a call: admitted by its contract and by the circuit breaker, paid for, and well-formed. Holds nothing when it fails. */
async function agreeTerms(
  deps: RouterDependencies,
  breaker: CircuitBreaker,
  request: PromptRequest,
  repeats: boolean,
): Promise<Result<CallTerms>> {
  const { profile } = deps;
  const model = modelFor(profile, request.role);
  const admitted = admitPrompt(request, model, deps.contractsRequired);
  if (!admitted.ok) return admitted;
  const boundary = admitted.value?.boundary ?? {};
  const seen = refuseUnseen(request.messages, model, deps.seesImages?.(model));
  if (!seen.ok) return seen;
  const closed = breaker.admit();
  if (!closed.ok) return closed;
  const reserved = await reserveFor(deps, request, { model, boundary, repeats });
  if (!reserved.ok) {
    breaker.abandoned(); // this call was the probe and is not made: without the release no later call could probe
    return reserved;
  }
  const reservation = reserved.value;
  const parameters = completionParameters(profile, request, { model, reservation, boundary });
  // Earlier messages were checked when they were new: checking them again would cost the square of the conversation.
  const checked = deps.schemas.validate("completion_request_v2", asRequest(parameters, request));
  if (checked.ok) return ok({ reservation, parameters, boundary });
  breaker.abandoned();
  await settleNothing(deps, reservation, request);
  return checked;
}

/** What the contract of a request says of it; what else the parameters hold is the runtime's own. */
function asRequest({ generation: _, timeout_ms: __, ...rest }: CallTerms["parameters"], { messages }: PromptRequest) {
  return { ...rest, messages };
}

interface PaidFor {
  readonly model: string;
  readonly boundary: Boundary;
}

/** The attempts of a call whose messages are in the conversation already. */
function paidAttempts(
  deps: RouterDependencies,
  request: PromptRequest,
  call: PaidFor & { readonly request_id: string; readonly reservation: Reservation },
): PaidAttempts {
  return new PaidAttempts(deps.budgeter, request, {
    request_id: call.request_id,
    reservation: call.reservation,
    price: deps.priceOf(call.model),
    reserve: (id) => reserveFor(deps, { ...request, messages: [] }, { ...call, repeats: true, id }),
  });
}

function reserveFor(
  { profile, budgeter, priceOf }: RouterDependencies,
  request: PromptRequest,
  call: PaidFor & { readonly repeats: boolean; readonly id?: string },
): Promise<Result<Reservation>> {
  const { model, boundary, repeats, id } = call;
  const newTokens = request.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  const wanted = request.output_wanted ?? profile.roles[request.role]?.max_tokens ?? profile.max_tokens;
  return budgeter.reserve(
    request.budget,
    {
      model,
      price: priceOf(model),
      ...(id === undefined ? {} : { id }),
      input_tokens: request.conversation.tokens + newTokens,
      output_wanted: Math.min(wanted, boundary.max_tokens ?? Number.POSITIVE_INFINITY),
      output_least: leastOutput,
      ...(repeats ? { repeats } : {}),
    },
    { recorder: request.recorder, signal: request.signal },
  );
}

/** Records why a call is not made. */
async function refused(request: PromptRequest, request_id: string, error: DomainError): Promise<Result<never>> {
  const recorded = await request.recorder.append({
    type: "llm.refused",
    actor: "router",
    payload: { request_id, role: request.role, code: error.code, reason: error.message },
  });
  return recorded.ok ? err(error) : recorded;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
