import { domainError, err, ok, type Result } from "#base";

/** Lets at most `limit` flows run at once; the others wait in the order in which they came. */
export class FlowGate {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
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
        resolve(ok(undefined)); // the place is handed over, so the count stays
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
  return domainError("CANCELED", "the flow was canceled while it waited for its turn");
}
