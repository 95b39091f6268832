import type { FlowResult } from "./execution-context.ts";

const stopped: ReadonlySet<unknown> = new Set(["HALTED", "REPLAY_DIVERGED", "LEASE_LOST"]);

/** No outcome yet: the session is open, and its order will have its result when it is resumed, or whoever took it over ends it. */
export function isStopped({ status, error_code }: FlowResult): boolean {
  return status === "waiting" || stopped.has(error_code);
}
