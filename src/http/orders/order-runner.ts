import type { ForkControl, KeyedOrders, SessionControl } from "#compose";
import type { FlowOptions, FlowRequest, FlowResult } from "#flow";

/** Runs, resumes and forks sessions. */
export interface OrderRunner
  extends Pick<KeyedOrders, "takeUpOrder">,
    Pick<SessionControl, "resumeSession">,
    ForkControl {
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}
