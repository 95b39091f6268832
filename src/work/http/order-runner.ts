import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import type { KeyedOrders } from "../orders/keyed-orders.ts";
import type { ForkControl } from "../replay/fork-session.ts";
import type { SessionControl } from "../replay/session-control.ts";

/** Runs, resumes and forks sessions. */
export interface OrderRunner
  extends Pick<KeyedOrders, "resumeOrder">,
    Pick<SessionControl, "resumeSession">,
    ForkControl {
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}
