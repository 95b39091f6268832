import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Event, RecordedRequest } from "#log";
import type { Budgeter, Reservation } from "../budget/budgeter.ts";
import { costOf, type Price } from "../budget/prices.ts";
import type { PromptRequest } from "./prompt.ts";
import type { Attempts, FailedAttempt } from "./provider.ts";
import { noUsage, type Usage, usageOfFailure } from "./usage.ts";

/** What was used, and what that costs; undefined where the price is not known. */
export type Bill = Usage & { readonly usd: number | undefined };

export interface PaidCall {
  readonly request_id: string;
  /** The money of the first attempt. */
  readonly reservation: Reservation;
  readonly price: Price | undefined;
  /** Sets money aside for a further attempt, under this id. */
  readonly reserve: (id: string) => Promise<Result<Reservation>>;
}

/**
 * The attempts of one call. Each has a reservation of its own while its request may be at the provider, and is settled by
 * what is known of it: nothing when it was refused or never left, the whole reservation when nothing is known.
 */
export class PaidAttempts implements Attempts {
  readonly #budgeter: Budgeter;
  readonly #request: PromptRequest;
  readonly #call: PaidCall;
  /** Null between two attempts: then nothing is at the provider. */
  #reservation: Reservation | null;
  #earlier: Bill = { ...noUsage, usd: 0 };
  #count = 1;
  #isOver = false;

  constructor(budgeter: Budgeter, request: PromptRequest, call: PaidCall) {
    this.#budgeter = budgeter;
    this.#request = request;
    this.#call = call;
    this.#reservation = call.reservation;
  }

  get count(): number {
    return this.#count;
  }

  /** All attempts together, when the last one used what `of` says of its reservation. */
  billed(of: (reserved: Reservation) => Usage): { readonly last: Bill; readonly all: Bill } {
    const usage = this.#reservation ? of(this.#reservation) : noUsage;
    const last = { ...usage, usd: costOf(this.#call.price, usage) };
    return { last, all: sum(this.#earlier, last) };
  }

  /** Settles the attempt in flight, if there is one. */
  async settle(bill: Bill): Promise<Result<void>> {
    const reservation = this.#reservation;
    this.#reservation = null;
    if (!reservation) return ok(undefined);
    const { input_tokens, output_tokens, estimated, usd = 0 } = bill;
    const spending = { input_tokens, output_tokens, usd, estimated };
    const settled = await this.#budgeter.settle(reservation, spending, { recorder: this.#request.recorder });
    return settled.ok ? ok(undefined) : settled;
  }

  async failed({ attempt, error, retryInMs }: FailedAttempt): Promise<Result<void>> {
    if (this.#isOver) return over;
    const { last, all } = this.billed((reserved) => usageOfFailure(error, reserved));
    const { code, message } = error;
    const recorded = this.#request.recorder.stage({
      type: "llm.attempt",
      actor: "router",
      payload: {
        request_id: this.#call.request_id,
        attempt,
        error: { code, message },
        retry_in_ms: retryInMs,
        usage: recordedUsage(last),
      },
    });
    const settled = await this.settle(last);
    this.#earlier = all;
    return recorded.ok ? settled : recorded;
  }

  async again(attempt: number): Promise<Result<number>> {
    if (this.#isOver) return over;
    const reserved = await this.#call.reserve(`${this.#call.reservation.id}/${attempt}`);
    if (!reserved.ok) return reserved;
    this.#count = attempt;
    this.#reservation = reserved.value;
    if (!this.#isOver) return ok(reserved.value.output_tokens);
    await this.settle({ ...noUsage, usd: 0 }); // the time limit passed while it waited for the money
    return over;
  }

  /** The call has ended, also where the provider does not know it yet: nothing more is paid for. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes failed attempts over from the record of a session that goes on. */
  async adopt(attempts: RecordedRequest["attempts"]): Promise<Result<void>> {
    for (const { usage, next } of attempts) {
      const bill = billOf(usage);
      const settled = await this.settle(bill);
      if (!settled.ok) return settled;
      this.#earlier = sum(this.#earlier, bill);
      this.#count += 1;
      if (next?.reservation_id === undefined) continue;
      const { reservation_id: id, input_tokens, output_tokens, usd } = next;
      this.#reservation = { id, scope: this.#request.budget, input_tokens, output_tokens, usd };
      const adopted = this.#budgeter.adopt(this.#reservation, { repeats: true });
      if (!adopted.ok) return adopted;
    }
    return ok(undefined);
  }

  /** Settles the last attempt of a call whose recorded answer has the usage of all. */
  settleRecorded(usage: RecordedUsage): Promise<Result<void>> {
    const { input_tokens, output_tokens, usd } = this.#earlier;
    const all = billOf(usage);
    return this.settle({
      ...all,
      input_tokens: Math.max(0, all.input_tokens - input_tokens),
      output_tokens: Math.max(0, all.output_tokens - output_tokens),
      usd: Math.max(0, (all.usd ?? 0) - (usd ?? 0)),
    });
  }
}

type RecordedUsage = Event<"llm.response">["payload"]["usage"];

/** A cost that is not known is left out, never recorded as 0. */
export function recordedUsage({ usd, estimated, ...usage }: Bill): RecordedUsage {
  return { ...usage, ...(usd === undefined ? {} : { cost_usd: usd }), ...(estimated ? { estimated } : {}) };
}

function billOf({ cost_usd, estimated = false, ...usage }: RecordedUsage): Bill {
  return { ...usage, estimated, usd: cost_usd };
}

function sum(a: Bill, b: Bill): Bill {
  const part = (name: "cached_input_tokens" | "cache_write_tokens" | "reasoning_tokens") => {
    const total = (a[name] ?? 0) + (b[name] ?? 0);
    return total > 0 ? { [name]: total } : {};
  };
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...part("cached_input_tokens"),
    ...part("cache_write_tokens"),
    ...part("reasoning_tokens"),
    estimated: a.estimated || b.estimated,
    usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
  };
}

const over = err(domainError("CANCELED", "the call has ended"));
