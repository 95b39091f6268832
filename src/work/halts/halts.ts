import { type DomainError, domainError } from "#core/errors";
import { type Answer } from "#core/values";

/** A stop that a caller ordered and that is not lifted yet. */
export interface Halt {
  readonly by: string;
  readonly reason: string;
  readonly scope: "session" | "workspace";
}

/** The kill switch, as a flow sees it. */
export interface Halts {
  /** What stands against this session, or against everything (null). Asked before every effect. */
  standing(session_id: string | null): Answer<Halt | undefined>;
  /** Calls back once when a halt reaches the session, also while it waits for something. Answers how to stop watching. */
  watch(session_id: string, onHalt: (halt: Halt) => void): () => void;
}

export function haltedError({ by, reason, scope }: Halt): DomainError {
  const what = scope === "session" ? "this session was halted" : "all work in this workspace is halted";
  return domainError("HALTED", `${what} by ${by}: ${reason}`, {
    details: { by, scope, hint: "`writ halt --lift` ends the halt; `writ session resume` goes on" },
  });
}
