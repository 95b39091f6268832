import type { JsonObject } from "#core/values";

/** One call of a tool, as a person is asked about it. */
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
}
