import type { AssembledContext } from "#agents";
import type { Result } from "#core/values";
import type { Aperture } from "../flow/aperture.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";

/** Step 5. What the agent may read before it speaks. Agents don't remember: they read. */
export function assembleContext(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  aperture: Aperture = deps.config.v2_features.aperture_enabled ? "open" : "closed",
): Promise<Result<AssembledContext>> {
  const [contract] = context.prompt_contracts;
  return deps.attention.assemble(
    {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      session_id: context.session_id,
      prompt: state.prompt,
      aperture,
      // Half of the order's tokens: the instructions, the tools and the answer need room too.
      max_tokens: Math.floor((context.work_order.budget?.token_limit ?? deps.config.default_budget.token_limit) / 2),
      ...(contract ? { contract } : {}),
      ...(context.work_order.attention_template_id === undefined
        ? {}
        : { template_id: context.work_order.attention_template_id }),
    },
    { recorder: state.session, signal: state.signal },
  );
}
