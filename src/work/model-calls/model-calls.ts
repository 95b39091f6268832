import type { Router } from "#agents";
import type { JsonObject } from "#core/values";
import { CallQueue } from "./call-queue.ts";

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

/** The calls of a program on their way to the order that carries them out. */
export class ModelCalls extends CallQueue<ModelCall, ModelAnswer> {
  /** A call about which a hook wants a person asked waits for the answer; otherwise it is refused. */
  readonly asksPeople: boolean;

  constructor({ asksPeople = false }: { readonly asksPeople?: boolean | undefined } = {}) {
    super();
    this.asksPeople = asksPeople;
  }
}
