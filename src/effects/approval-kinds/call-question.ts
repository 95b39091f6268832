import type { JsonObject } from "#core/values";

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
  readonly attempt: number;
  readonly role: string;
  readonly work_order_id: string;
  /** Why a person is asked. */
  readonly reason: string;
}
