import type { ProgramTier } from "#core/machine";
import type { JsonValue } from "#core/values";
import type { HookHandler } from "./hook-handler.ts";

/** A program that ends well and prints nothing has no objection. Only the protocol can say this; a function cannot. */
export const noObjection: unique symbol = Symbol("no objection");

/** How a handler failed, as the adapter that ran it reports. A failure is a denial (I-3). */
export class Fault {
  readonly kind: string;
  readonly what: string;
  constructor(kind: string, what: string) {
    this.kind = kind;
    this.what = what;
  }
}

/** The log names a hook by the hash it was loaded with; other bytes under that hash would make the log a lie. */
export const changed: Fault = new Fault("changed", "was changed after it was loaded; a new session reads it afresh");

/** A person is asked, and about a changed input: only the program protocol can say both at once. */
export class AskWithOutput {
  readonly reason: string;
  readonly output: unknown;
  constructor(reason: string, output: unknown) {
    this.reason = reason;
    this.output = output;
  }
}

/** The answer of a program or a module, with the isolation that it ran in. */
export class InTier {
  readonly answer: unknown;
  readonly tier: ProgramTier;
  constructor(answer: unknown, tier: ProgramTier) {
    this.answer = answer;
    this.tier = tier;
  }
}

/** An answer that orders gave, with their sessions. */
export class InSessions {
  readonly answer: unknown;
  readonly sessions: readonly string[];
  constructor(answer: unknown, sessions: readonly string[]) {
    this.answer = answer;
    this.sessions = sessions;
  }
}

/** An answer, and a text that the agents concerned are to know. It grants nothing: they get it as data. */
export class WithContext {
  readonly answer: unknown;
  readonly context: string;
  constructor(answer: unknown, context: string) {
    this.answer = answer;
    this.context = context;
  }
}

/** What one handler said, checked. */
export interface Answer {
  readonly handler: Pick<HookHandler, "id" | "kind" | "hash">;
  readonly decision: "allow" | "deny" | "transform" | "ask" | "none";
  readonly reason: string;
  /** What goes on instead of the input: with every transform, and with an ask about a changed input. */
  readonly output?: JsonValue;
  readonly fault?: string;
  /** What the agents concerned are to know besides. */
  readonly context?: string;
  /** The isolation that it ran in; absent for functions, which run in this process. */
  readonly tier?: ProgramTier;
  /** The sessions of the orders that answered. */
  readonly sessions?: readonly string[];
  readonly durationMs: number;
}
