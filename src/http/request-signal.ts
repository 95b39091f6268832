import type { ServerResponse } from "node:http";

/**
 * How long anybody waits for an answer: until the client is gone or the server ends. Most answers are there at once and
 * ask nobody, so the signal is made when it is first looked at.
 */
export class RequestSignal {
  readonly #response: ServerResponse;
  readonly #closing: AbortSignal;
  readonly #end = (): void => this.end();
  #controller: AbortController | undefined;

  constructor(response: ServerResponse, closing: AbortSignal) {
    this.#response = response;
    this.#closing = closing;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#closing.aborted || this.#response.destroyed) this.#controller.abort();
      this.#response.once("close", this.#end);
      this.#closing.addEventListener("abort", this.#end, { once: true });
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#controller?.abort();
  }

  /** The answer is given: nobody waits any more. */
  letGo(): void {
    this.#response.off("close", this.#end);
    this.#closing.removeEventListener("abort", this.#end);
  }
}
