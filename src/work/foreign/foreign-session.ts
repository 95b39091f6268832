import { CallQueue } from "../model-calls/call-queue.ts";
import type { Dialect, ForeignRequest } from "./dialect.ts";

/** How firmly a foreign agent is held: `observed` by the doors alone. */
export type Grade = "observed";

/** One request of a program on its way to the order that carries it out. */
export interface ForeignCall {
  readonly dialect: Dialect;
  readonly request: ForeignRequest;
  /** Query and headers of the program, as far as they are passed on. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly sink: AnswerSink;
}

/** Where the answer goes. */
export interface AnswerSink {
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Resolves when the program takes more. */
  write(bytes: Uint8Array): Promise<void>;
  readonly hasBegun: boolean;
}

/** The requests of a program that Writ did not make, and what is known of it. */
export interface ForeignSession {
  readonly calls: CallQueue<ForeignCall, void>;
  readonly grade: Grade;
  /** The token that it shows: an API key whose only right is this order. */
  readonly token_id: string;
}

/** The type of an order whose agent is a program that only knows the address of a model. */
export const foreignType = "foreign";

export class ForeignCalls extends CallQueue<ForeignCall, void> {}
