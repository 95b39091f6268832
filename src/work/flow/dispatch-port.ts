import type { ToolAnswer, ToolCall } from "#agents";
import type { Result } from "#core/values";
import type { ToolProgress } from "#effects";
import type { Grant } from "#governance";
import type { Recorder } from "#log";

/** The one way to call a tool, as the flow hands it to its agents. */
export type Dispatch = (call: ToolCall, caller: DispatchCaller) => Promise<Result<ToolAnswer>>;

export interface DispatchCaller {
  readonly role: string;
  readonly skill: string | null;
  readonly work_order_id: string;
  /** Who submitted the order. */
  readonly caller_id: string;
  /** Who grants tools; all must. */
  readonly toolGrants: readonly Grant[];
  /** Who grants paths to write; all must. */
  readonly writeGrants: readonly Grant[];
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
}
