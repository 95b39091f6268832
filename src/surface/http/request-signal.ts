import type { ServerResponse } from "node:http";

/**
 * Aborts when the client disconnects or the server closes. Created on first use: most handlers never read it.
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

  /** Removes the listeners once the answer is sent. */
  release(): void {
    this.#response.off("close", this.#end);
    this.#closing.removeEventListener("abort", this.#end);
  }
}
