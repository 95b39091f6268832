import { type DomainError, domainError } from "#core/errors";
import { type Clock } from "#core/values";

export interface Limits {
  /** Of the rendered context. */
  readonly max_tokens: number;
  readonly max_queries: number;
  readonly timeout_ms: number;
}

/** Counts what an assembly uses and says when it is over. A query is counted before it is asked. */
export class Meter {
  readonly limits: Limits;
  /** Aborts when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #stop: () => void;
  #queries = 0;
  #timedOut = false;

  constructor(limits: Limits, clock: Clock, signal: AbortSignal) {
    this.limits = limits;
    this.#clock = clock;
    this.#started = clock.monotonic();
    const timer = new AbortController();
    const cancel = clock.after(limits.timeout_ms, () => {
      this.#timedOut = true;
      timer.abort();
    });
    const give = () => timer.abort();
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
    this.signal = timer.signal;
    this.#stop = () => {
      cancel();
      signal.removeEventListener("abort", give);
    };
  }

  get queries(): number {
    return this.#queries;
  }

  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#started;
  }

  /** Undefined: go on and ask. */
  ask(): DomainError | undefined {
    const late = this.late();
    if (late) return late;
    if (this.#queries >= this.limits.max_queries)
      return limitReached("max_queries", `it may ask ${this.limits.max_queries} queries (limits.max_queries)`);
    this.#queries += 1;
    return undefined;
  }

  late(): DomainError | undefined {
    if (this.#timedOut || this.elapsedMs >= this.limits.timeout_ms)
      return limitReached("timeout_ms", `it may take ${this.limits.timeout_ms} ms (limits.timeout_ms)`);
    if (this.signal.aborted) return domainError("CANCELED", "reading context was canceled");
    return undefined;
  }

  stop(): void {
    this.#stop();
  }
}

export function limitReached(limit: keyof Limits, why: string): DomainError {
  return domainError("ATTENTION_LIMIT", `the attention template reached a limit: ${why}`, { details: { limit } });
}
