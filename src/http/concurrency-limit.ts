import type { Caller } from "#base";

export interface ConcurrencyLimitOptions {
  readonly most: number;
  /** The part of them that one caller with a key may hold, at least one place. */
  readonly callerShare: number;
}

/** Why there is no place: all are taken, or all that this caller may hold. */
export interface LimitReached {
  readonly because: "all are taken" | "the caller has their share";
  readonly taken: number;
}

/**
 * ConcurrencyLimit that many use and nobody takes all of. The person at this machine has no share: a server that obeys them without a
 * key listens to nobody else.
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

  /** Why nobody, or not this caller, gets one now; undefined where there is one. */
  refusal(caller: Caller | undefined): LimitReached | undefined {
    if (this.#taken >= this.#most) return { because: "all are taken", taken: this.#taken };
    const held = caller ? (this.#held.get(caller.id) ?? 0) : 0;
    if (caller?.authenticatedBy !== "api_key" || held < this.#share) return undefined;
    return { because: "the caller has their share", taken: held };
  }

  /** Takes one and returns how to give it back. Whoever takes it has asked whether there is one, unless it is needed anyway. */
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
