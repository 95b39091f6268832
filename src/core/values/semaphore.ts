import { domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "./result.ts";

/** Admits at most `limit` callers at once; the others wait in order of arrival. A caller that entered must leave. */
export class Semaphore {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the next caller has to wait. */
  get isFull(): boolean {
    return this.#running >= this.#limit;
  }

  async enter(signal: AbortSignal): Promise<Result<void>> {
    if (signal.aborted) return err(canceled());
    if (this.#running < this.#limit) {
      this.#running += 1;
      return ok(undefined);
    }
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener("abort", give);
        resolve(ok(undefined)); // the slot passes to the next caller, so the count stays
      };
      const give = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        resolve(err(canceled()));
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", give, { once: true });
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}

function canceled() {
  return domainError("CANCELED", "canceled while it waited for its turn");
}
