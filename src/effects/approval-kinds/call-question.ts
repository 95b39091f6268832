import type { ToolInvokeEventV1 } from "#core/contracts";
import type { JsonObject } from "#core/values";

/** What a record of a call says of its values. */
export type RecordedValues = Pick<ToolInvokeEventV1, "values" | "verdict" | "rule" | "rules_hash" | "shadow">;

/** A sealed value of a call, as a person sees it. */
export interface SealedPart {
  readonly handle: string;
  readonly kind: string;
  /** Keyed, so that what was allowed is this value and no other. */
  readonly hash: string;
  readonly from: string;
}

/** One call of a tool, as a person is asked about it. */
export interface CallQuestion {
  readonly call_id: string;
  readonly tool: string;
  readonly tool_hash: string;
  /** As they would run: validated, changed by the gates, with handles in place of sealed values. */
  readonly args: JsonObject;
  /** The values behind those handles: of what kind, and from where. */
  readonly sealed?: readonly SealedPart[];
  /** Where its values come from, and by which rules that is asked about. */
  readonly judged?: RecordedValues;
  readonly attempt: number;
  readonly role: string;
  readonly work_order_id: string;
  /** Why a person is asked. */
  readonly reason: string;
}
