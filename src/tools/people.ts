import type { JsonObject, JsonValue, Result } from "#base";
import type { Recorder } from "#events";

/** Asks people. An error of kind `doubt` means that the answer is still to come: the session waits for it. */
export interface People {
  /** Whether this call may be made, with exactly these arguments. */
  mayCall(question: CallQuestion): Promise<Result<void>>;
  /** What became of a call whose end is not recorded. */
  whatBecameOf(question: CallQuestion): Promise<Result<CallResolution>>;
}

export type CallResolution =
  | { readonly outcome: "done"; readonly result: JsonValue }
  | { readonly outcome: "not_done" };

export interface CallQuestion {
  readonly call_id: string;
  readonly tool: string;
  readonly tool_hash: string;
  /** As they would run: validated, changed by the gates, redacted. */
  readonly args: JsonObject;
  readonly attempt: number;
  readonly role: string;
  readonly work_order_id: string;
  /** Why a person is asked. */
  readonly reason: string;
  readonly recorder: Recorder;
}
