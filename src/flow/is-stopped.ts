import type { FlowResult } from "./execution-context.ts";

/** No outcome yet: the session is open, and its order will have its result when it is resumed. */
export function isStopped({ status, error_code }: FlowResult): boolean {
  return status === "waiting" || error_code === "HALTED" || error_code === "REPLAY_DIVERGED";
}
