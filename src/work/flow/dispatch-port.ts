import type { ToolAnswer, ToolCall } from "#agents";
import type { Result } from "#core/values";
import type { ToolProgress } from "#effects";
import type { Grant } from "#governance";
import type { Recorder } from "#log";

/** The only function by which a flow's agents call tools. */
export type Dispatch = (call: ToolCall, caller: DispatchCaller) => Promise<Result<ToolAnswer>>;

export interface DispatchCaller {
  readonly role: string;
  readonly skill: string | null;
  readonly work_order_id: string;
  /** The caller that submitted the order. */
  readonly caller_id: string;
  /** Every one of these must grant a tool. */
  readonly toolGrants: readonly Grant[];
  /** Every one of these must grant a path to write. */
  readonly writeGrants: readonly Grant[];
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
}
