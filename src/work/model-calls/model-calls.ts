import type { Router } from "#agents";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, type Result } from "#core/values";

type Sent = Parameters<Router["send"]>[0];
type Answered = Extract<Awaited<ReturnType<Router["send"]>>, { ok: true }>["value"];

/** One call of a model that a program makes: the whole conversation, as programs hold it. */
export interface ModelCall {
  readonly messages: Sent["messages"];
  /** What the model may ask for. The program carries these calls out itself, once they were judged. */
  readonly tools?: Sent["tools"];
  /** The form of the answer, as JSON Schema. */
  readonly answer?: NonNullable<Sent["answer"]>;
  readonly signal?: AbortSignal;
  readonly onText?: (piece: string) => void;
  readonly onReasoning?: (piece: string) => void;
  /** The pieces so far are void: the model is asked again. */
  readonly onRestart?: () => void;
}

/** What a program gets. Calls that were refused are not among `tool_calls`; `refused` says why. */
export interface ModelAnswer {
  readonly text: string;
  readonly reasoning?: string;
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[];
  readonly refused: readonly {
    readonly id: string;
    readonly name: string;
    readonly code: string;
    readonly reason: string;
  }[];
  readonly finish_reason: "stop" | "tool_use" | "max_tokens" | "safety";
  readonly usage: Answered["usage"];
  readonly model: string;
}

export interface PendingCall extends ModelCall {
  readonly settle: (answer: Result<ModelAnswer>) => void;
}

/**
 * The calls of a program on their way to the order that carries them out:
 *
 *     open ──close()──► closed: what waits is carried out, nothing more is taken
 *       └───end(why)──► ended: what waits and what comes later gets the reason
 */
export class ModelCalls {
  #waiting: PendingCall[] = [];
  #isClosed = false;
  #ended: DomainError | undefined;
  #wake: () => void = () => undefined;

  push(call: ModelCall): Promise<Result<ModelAnswer>> {
    if (this.#ended) return Promise.resolve(err(this.#ended));
    if (this.#isClosed)
      return Promise.resolve(err(domainError("SESSION_CLOSED", "this model session was closed; open another one")));
    return new Promise((settle) => {
      this.#waiting.push({ ...call, settle });
      this.#wake();
    });
  }

  /** The next call; undefined once the program is done, or the order has to end. */
  async next(signal: AbortSignal): Promise<PendingCall | undefined> {
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
