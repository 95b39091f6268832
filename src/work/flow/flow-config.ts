import type { AgentLimits } from "#agents";
import { configDefaults, unstatedUsdLimit, type WritConfig } from "#workspace";
import type { FlowConfig } from "./flow.ts";

/** The configuration of the flow runner. It is pinned with the contracts, so a resumed session keeps its limits. */
export function flowConfigOf(config: WritConfig): FlowConfig {
  const { usd_limit, ...budget } = config.budget;
  return {
    default_budget: { ...budget, ...(usd_limit === null ? {} : { usd_limit }) },
    max_concurrent_flows: config.max_concurrent_flows,
    // Pinned only where there are any: the manifest of a workspace without them is what it was.
    ...(config.paths.code_that_runs.length > 0 ? { code_names: config.paths.code_that_runs } : {}),
    execution_timeout_seconds: config.limits.flow_timeout_seconds,
    agents: {
      max_tool_calls: config.limits.tool_calls_per_step,
      max_solo_calls: config.limits.tool_calls_per_request,
      max_reworks: config.limits.rework_rounds,
      max_repairs: config.limits.repair_attempts,
      context_tokens: config.limits.context_tokens,
      max_steps: config.limits.plan_steps,
    },
    aperture: config.aperture,
    recovery: config.recovery,
    delegation: config.delegation,
    decompose: config.decompose,
    context_share: config.attention.order_share,
    v2_features: config.v2_features,
  };
}

/**
 * The same as a session pinned it. The log names the hash of the manifest, so only `flowConfigOf` can have made it; what it
 * did not know yet was a constant then, and is the default now.
 */
export function pinnedFlowConfig({ flow }: { readonly flow: object }): FlowConfig {
  const { decompose, attention } = configDefaults;
  const known = flow as Omit<FlowConfig, "decompose" | "context_share">;
  const { max_solo_calls = configDefaults.limits.tool_calls_per_request } = known.agents as Partial<AgentLimits>;
  const agents = { ...known.agents, max_solo_calls };
  const pinned: FlowConfig = { decompose, context_share: attention.order_share, ...known, agents };
  const { usd_limit, ...budget } = pinned.default_budget;
  // Earlier versions pinned their own default with what the workspace stated; models without a price ran under it.
  return usd_limit === unstatedUsdLimit ? { ...pinned, default_budget: budget } : pinned;
}
