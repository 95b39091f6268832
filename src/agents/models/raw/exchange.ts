import { domainError } from "#core/errors";
import { type Clock, canonicalJson, err, type IdSource, ok, type Result, sha256 } from "#core/values";
import type { Reservation } from "../../budget/budgeter.ts";
import type { Price } from "../../budget/prices.ts";
import { rollingHash } from "../../conversation/conversation.ts";
import { answerMessage } from "../../conversation/fold-conversation.ts";
import { admitPrompt } from "../admit-prompt.ts";
import { announceCall } from "../announce-call.ts";
import type { CircuitBreaker } from "../circuit-breaker.ts";
import { type Exchange, type ExchangeDeps, failed, settleNothing } from "../end-exchange.ts";
import { PaidAttempts, recordedUsage } from "../paid-attempts.ts";
import type { RuntimeProfile } from "../profile.ts";
import type { PromptRequest } from "../prompt.ts";
import type { Provider } from "../provider.ts";
import { believeUsage } from "../usage.ts";
import { affordableOutput } from "./affordable-output.ts";
import type { RawAnswer, RawProvider } from "./raw-provider.ts";
import type { RawRequest, RawTaken } from "./raw-request.ts";

/** The least output that is worth a call of a program, unless it asks for less: what is cut short is paid for and of no use. */
const leastOutput = 1_024;

export interface RawDependencies extends Omit<ExchangeDeps, "provider"> {
  readonly profile: RuntimeProfile;
  readonly provider: Pick<Provider, "id">;
  readonly wire: RawProvider;
  readonly priceOf: (model: string) => Price | undefined;
  readonly maxOutputOf?: (model: string) => number | undefined;
  readonly contractsRequired: boolean;
  readonly clock: Clock;
  readonly ids: IdSource;
}

interface Granted {
  readonly request_id: string;
  readonly reservation: Reservation;
  readonly attempts: PaidAttempts;
  readonly isCut: boolean;
}

/**
 * One request of a program in its own dialect, on the same way as every other: admitted, paid for, announced durably, asked,
 * recorded, settled. Nothing is asked a second time: the program does that itself.
 */
export async function exchange(
  deps: RawDependencies,
  breaker: CircuitBreaker,
  asked: PromptRequest,
  raw: RawRequest,
): Promise<Result<void>> {
  const request_id = deps.ids.sortable("PRQ");
  const granted = await agree(deps, breaker, { asked, raw, request_id });
  if (!granted.ok) {
    const { code, message: reason } = granted.error;
    const payload = { request_id, role: asked.role, code, reason };
    const recorded = await asked.recorder.append({ type: "llm.refused", actor: "router", payload });
    return recorded.ok ? granted : recorded;
  }
  const { reservation, attempts, isCut } = granted.value;
  const body = raw.bodyFor({ provider: deps.wire.id, granted: reservation.output_tokens });
  const announced = await announce(deps, asked, { raw, request_id, reservation, changes: body.changes });
  if (!announced.ok) {
    breaker.abandoned();
    await settleNothing(deps, reservation, asked);
    return announced;
  }
  for (const message of asked.messages) asked.conversation.add(message);
  const started = deps.clock.monotonic();
  const terms = { request_id, granted: reservation.output_tokens, isCut, input_tokens: reservation.input_tokens };
  const taken = await ask(deps, asked, { raw, body: body.text, take: (answer) => raw.take(answer, terms) });
  attempts.end();
  const ended = { request_id, attempts, duration_ms: Math.round((deps.clock.monotonic() - started) * 1000) / 1000 };
  if (taken.ok) {
    breaker.succeeded();
    const recorded = await received(deps, asked, ended, taken.value);
    return recorded;
  }
  if (taken.error.kind === "provider" && taken.error.retryable) breaker.failed();
  else breaker.abandoned();
  return failed(deps, asked, ended, taken.error);
}

async function agree(
  deps: RawDependencies,
  breaker: CircuitBreaker,
  { asked, raw, request_id }: { readonly asked: PromptRequest; readonly raw: RawRequest; readonly request_id: string },
): Promise<Result<Granted>> {
  const { model } = raw;
  const admitted = admitPrompt(asked, model, deps.contractsRequired);
  if (!admitted.ok) return admitted;
  const closed = breaker.admit();
  if (!closed.ok) return closed;
  const price = deps.priceOf(model);
  const status = await deps.budgeter.status(asked.budget);
  const most = deps.maxOutputOf?.(model) ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(raw.output ?? deps.profile.max_tokens, most);
  const least = Math.min(wanted, leastOutput);
  const paid = status.ok ? affordableOutput(status.value, price, raw.input_tokens) : wanted;
  const reserved = await deps.budgeter.reserve(
    asked.budget,
    {
      model,
      price,
      input_tokens: raw.input_tokens,
      output_wanted: Math.min(wanted, Math.max(paid, least)),
      output_least: least,
    },
    { recorder: asked.recorder, signal: asked.signal },
  );
  if (!reserved.ok) {
    breaker.abandoned();
    return reserved;
  }
  const again = async () => err(domainError("CANCELED", "a program's request is asked once"));
  const call = { request_id, reservation: reserved.value, price, reserve: again };
  return ok({
    request_id,
    reservation: reserved.value,
    attempts: new PaidAttempts(deps.budgeter, asked, call),
    isCut: reserved.value.output_tokens < wanted,
  });
}

function announce(
  deps: RawDependencies,
  asked: PromptRequest,
  {
    raw,
    request_id,
    reservation,
    changes,
  }: {
    readonly raw: RawRequest;
    readonly request_id: string;
    readonly reservation: Reservation;
    readonly changes: readonly string[];
  },
) {
  const generation = { max_tokens: reservation.output_tokens };
  return announceCall({ profile: deps.profile, provider: deps.wire }, asked, {
    request_id,
    call: asked.calls.next(asked),
    conversation_hash: asked.messages.reduce(rollingHash, asked.conversation.hash),
    reservation,
    parameters: { model: raw.model, generation },
    wire: { dialect: raw.dialect, changes },
  });
}

async function ask(
  deps: RawDependencies,
  asked: PromptRequest,
  {
    raw,
    body,
    take,
  }: {
    readonly raw: RawRequest;
    readonly body: string;
    readonly take: (answer: RawAnswer) => Promise<Result<RawTaken>>;
  },
): Promise<Result<RawTaken>> {
  const { model, path, headers } = raw;
  const answered = await deps.wire.ask({
    model,
    path,
    headers,
    body,
    signal: asked.signal,
    timeoutMs: deps.profile.timeout_ms,
  });
  if (!answered.ok) return answered;
  const answer = answered.value;
  if (answer.status < 200 || answer.status >= 300) return refusedByServer(deps, answer);
  const taken = await take(answer);
  if (!taken.ok) answer.close();
  return taken;
}

const longestRefusal = 64 * 1024;

/** What a server says where it refuses is the program's to read, since it knows when to ask again. What it says of the key is not. */
async function refusedByServer(deps: RawDependencies, answer: RawAnswer): Promise<Result<never>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const read = await answer.read();
    if (!read.ok || read.value === undefined || size > longestRefusal) break;
    chunks.push(read.value);
    size += read.value.byteLength;
  }
  answer.close();
  const { status } = answer;
  const text = deps.redact(Buffer.concat(chunks).toString("utf8"));
  const isAboutKey = status === 401 || status === 403 || status < 400;
  const said = isAboutKey ? {} : { answer: { status, text, headers: answer.headers } };
  return err(
    domainError("PROVIDER_ERROR", `${deps.wire.id} refuses the request (${status})`, {
      retryable: status === 408 || status === 429 || status >= 500,
      details: { status, sent: true, usage: { input_tokens: 0, output_tokens: 0 }, ...said },
    }),
  );
}

async function received(
  deps: RawDependencies,
  asked: PromptRequest,
  { request_id, attempts, duration_ms }: Exchange,
  taken: RawTaken,
): Promise<Result<void>> {
  const { last, all } = attempts.billed((reserved) => believeUsage(taken.usage, reserved));
  const text = deps.redact(taken.text);
  const tool_calls = taken.tool_calls.map(({ id, name, args }) => deps.redact({ id, name, args }));
  const recorded = await asked.recorder.append({
    type: "llm.response",
    actor: asked.role,
    payload: {
      request_id,
      role: asked.role,
      status: "ok",
      text,
      tool_calls,
      finish_reason: taken.finish_reason,
      ...(taken.finish_raw === "" ? {} : { finish_raw: deps.redact(taken.finish_raw) }),
      ...(taken.reasoning === "" ? {} : { reasoning: deps.redact(taken.reasoning) }),
      usage: recordedUsage(all),
      provider: deps.wire.id,
      ...(taken.model === undefined ? {} : { model: taken.model }),
      duration_ms,
      response_hash: sha256(canonicalJson({ text, tool_calls })),
    },
  });
  const settled = await attempts.settle(last);
  if (!recorded.ok) return recorded;
  if (!settled.ok) return settled;
  asked.calls.knowCalls(tool_calls);
  asked.conversation.add(answerMessage(text, tool_calls, undefined));
  return ok(undefined);
}
