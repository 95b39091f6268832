import type { ToolAnswer, ToolCall } from "#agents";
import type { Result } from "#core/values";
import type { CallCharges, ToolProgress } from "#effects";
import type { Mandate } from "#governance/mandate";
import type { ValueJudge } from "#governance/values";
import type { Recorder } from "#log";

/** The only function by which a flow's agents call tools. */
export type Dispatch = (call: ToolCall, caller: DispatchCaller) => Promise<Result<ToolAnswer>>;

export interface DispatchCaller {
  readonly role: string;
  readonly skill: string | null;
  /** The persona of a cycle that speaks. */
  readonly persona?: string;
  readonly work_order_id: string;
  /** The caller that submitted the order. */
  readonly caller_id: string;
  readonly mandate: Mandate;
  readonly charges: CallCharges;
  /** Judges the values of each call. */
  readonly values: ValueJudge;
  /** A call whose values are in doubt is held back until the agent has done all it can, or refused: no person can be asked. */
  readonly doubtful?: "hold" | "refuse";
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  /** Awaited between the announcement of a call and its start. */
  readonly onAnnounced?: () => Promise<void>;
  /** Awaited between the end of the tool and the record of it. */
  readonly onCalled?: () => Promise<void>;
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
}
