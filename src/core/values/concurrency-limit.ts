import type { Caller } from "./caller.ts";

export interface ConcurrencyLimitOptions {
  readonly most: number;
  /** The share of `most` that one caller with a key may hold; at least one. */
  readonly callerShare: number;
}

/** Which limit is reached: that of all callers or that of this one. */
export interface LimitReached {
  readonly because: "all are taken" | "the caller has their share";
  readonly taken: number;
}

/**
 * Limits what is open at once, in total and per caller with a key. The local user has no share: a server that serves the
 * local user without a key serves no other caller.
 */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor({ most, callerShare }: ConcurrencyLimitOptions) {
    this.#most = most;
    this.#share = Math.max(1, Math.floor(most * callerShare));
  }

  get taken(): number {
    return this.#taken;
  }

  /** The limit that refuses this caller now; undefined if there is room. */
  refusal(caller: Caller | undefined): LimitReached | undefined {
    if (this.#taken >= this.#most) return { because: "all are taken", taken: this.#taken };
    const held = caller ? (this.#held.get(caller.id) ?? 0) : 0;
    if (caller?.authenticatedBy !== "api_key" || held < this.#share) return undefined;
    return { because: "the caller has their share", taken: held };
  }

  /** Counts one more and returns its release. Does not check the limit: callers ask `refusal` first. */
  take(caller: Caller | undefined): () => void {
    let isHeld = true;
    this.#count(caller, 1);
    return () => {
      if (isHeld) this.#count(caller, -1);
      isHeld = false;
    };
  }

  #count(caller: Caller | undefined, change: 1 | -1): void {
    this.#taken += change;
    if (!caller) return;
    const held = (this.#held.get(caller.id) ?? 0) + change;
    if (held === 0) this.#held.delete(caller.id);
    else this.#held.set(caller.id, held);
  }
}
