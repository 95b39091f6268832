import type { BudgetScope } from "#agents";
import type { WorkOrder } from "#core/contracts";
import type { Caller } from "#core/values";
import type { Event, SessionLog } from "#log";
import type { OwnHistory } from "../replay/own-history.ts";
import type { Acceptance } from "../steps/7-check-acceptance.ts";
import type { Deadline } from "./deadline.ts";
import type { ExecutionContext, FlowResult } from "./execution-context.ts";
import type { CallBelow, FlowOptions, FlowRequest, FlowState, ResumeChild, StrategyOutcome } from "./flow.ts";

/** One flow in its session. */
export interface FlowInSession {
  readonly request: FlowRequest;
  /** The caller that submitted it; undefined for a child order. */
  readonly caller: Caller | undefined;
  readonly order: WorkOrder;
  readonly session: SessionLog;
  readonly options: FlowOptions;
  readonly deadline: Deadline;
  /** Monotonic time of the request. */
  readonly started: number;
  /** What the session recorded before it stopped; absent on the first run. */
  readonly before?: StoppedFlow;
  /** Resolves the child orders that it made before it stopped. */
  readonly resumeChild?: ResumeChild;
  /** Starts another flow: a strategy runs child orders with it. */
  readonly run: (request: FlowRequest, options?: FlowOptions) => Promise<FlowResult>;
}

/** A flow that stopped after it had begun to act. */
export interface StoppedFlow {
  readonly events: readonly Event[];
  readonly past: OwnHistory;
  /** Calls of the orders that it had handed down. */
  readonly callsBelow: readonly CallBelow[];
}

/** The results of the steps so far, so that a failure in any step is logged with them. */
export interface Progress {
  budget: BudgetScope | null;
  context: ExecutionContext | null;
  strategy: StrategyOutcome | null;
  acceptance: Acceptance | null;
  context_hash: string | null;
  /** A landing was promised and not finished: the next process that opens the workspace finishes it. */
  promised: boolean;
  /** Its writes are in the workspace: nothing is left to set aside. */
  landed: boolean;
}

/** What a flow has in its session, whatever step it is at. */
export type Opened = Omit<FlowState, "request" | "order" | "prompt" | "hookNotes">;
