import { type DomainError, domainError } from "#core/errors";
import type { FlowResult } from "./execution-context.ts";

const stopped: ReadonlySet<unknown> = new Set(["HALTED", "REPLAY_DIVERGED", "LEASE_LOST"]);

/** Whether the flow has no outcome yet: its session is open, and the order gets its result when the session is resumed. */
export function isStopped({ status, error_code }: FlowResult): boolean {
  return status === "waiting" || stopped.has(error_code) || (status === "canceled" && error_code === "INTERRUPTED");
}

/** A person stopped the process, not the work: what was begun goes on when the session is resumed. */
export function interruptedFlow(): DomainError {
  return domainError("INTERRUPTED", "stopped before its end; the session is open, and what it did is not done again");
}
