import type { AssembledContext } from "#attention";
import type { Result } from "#base";
import type { ExecutionContext, FlowDependencies, FlowState } from "../flow.ts";

/** Step 5. What the agent may read before it speaks. Agents don't remember: they read. */
export function assembleContext(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
): Promise<Result<AssembledContext>> {
  return deps.attention.assemble(
    {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      session_id: context.session_id,
      prompt: state.prompt,
      ...(context.work_order.attention_template_id === undefined
        ? {}
        : { template_id: context.work_order.attention_template_id }),
    },
    { recorder: state.session, signal: state.signal },
  );
}
