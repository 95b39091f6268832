import { type DomainError, domainError } from "#core/errors";
import { err, type Result } from "#core/values";

export type Pending<Call, Answer> = Call & { readonly settle: (answer: Result<Answer>) => void };

/**
 * Calls of a program on their way to the order that carries them out:
 *
 *     open ──close()──► closed: what waits is carried out, nothing more is taken
 *       └───end(why)──► ended: what waits and what comes later gets the reason
 */
export class CallQueue<Call extends object, Answer> {
  readonly #waiting: Pending<Call, Answer>[] = [];
  #isClosed = false;
  #ended: DomainError | undefined;
  #wake: () => void = () => undefined;

  push(call: Call): Promise<Result<Answer>> {
    if (this.#ended) return Promise.resolve(err(this.#ended));
    if (this.#isClosed)
      return Promise.resolve(err(domainError("SESSION_CLOSED", "this model session was closed; open another one")));
    return new Promise((settle) => {
      this.#waiting.push({ ...call, settle });
      this.#wake();
    });
  }

  /** The next call; undefined once the program is done, or the order has to end. */
  async next(signal: AbortSignal): Promise<Pending<Call, Answer> | undefined> {
    while (!signal.aborted) {
      const call = this.#waiting.shift();
      if (call || this.#isClosed || this.#ended) return call;
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        this.#wake = done;
        signal.addEventListener("abort", done, { once: true });
      });
    }
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  end(why: DomainError): void {
    this.#ended ??= why;
    for (const { settle } of this.#waiting.splice(0)) settle(err(this.#ended));
    this.#wake();
  }
}
