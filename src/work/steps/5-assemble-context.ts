import type { AssembledContext, AttentionService } from "#agents";
import type { Result } from "#core/values";
import type { Recorder } from "#log";
import type { Aperture } from "../flow/aperture.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import type { HookNotes } from "../strategies/hook-notes.ts";
import type { HouseRules } from "../strategies/house-rules.ts";

/** Step 5. What the agent may read before it speaks. Agents don't remember: they read. */
export function assembleContext(
  deps: Pick<FlowDependencies, "attention" | "config" | "filesOf">,
  state: Pick<FlowState, "prompt" | "signal"> & {
    readonly session: Recorder;
    readonly isPreview?: boolean;
    readonly rules?: HouseRules | null;
    readonly hookNotes?: HookNotes;
  },
  context: ExecutionContext,
  aperture: Aperture = deps.config.v2_features.aperture_enabled ? "open" : "closed",
): Promise<Result<AssembledContext>> {
  const contract = requiredBy(context.prompt_contracts);
  return deps.attention.assemble(
    {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      session_id: context.session_id,
      prompt: state.prompt,
      parameters: context.work_order.input ?? {},
      mandate: context.mandate,
      files: deps.filesOf(context.session_id),
      ...(state.rules ? { rules: new Map(state.rules.files.map(({ path, sha256 }) => [path, sha256])) } : {}),
      ...(state.hookNotes?.length ? { hookNotes: state.hookNotes } : {}),
      aperture,
      max_tokens: Math.floor(context.budget_limits.token_limit * deps.config.context_share),
      ...(contract ? { contract } : {}),
      ...(context.work_order.attention_template_id === undefined
        ? {}
        : { template_id: context.work_order.attention_template_id }),
    },
    { recorder: state.session, signal: state.signal, ...(state.isPreview ? { isPreview: true } : {}) },
  );
}

/** What the contracts of an order's agents require together: every stage, the most fragments, the fewest tokens. */
function requiredBy(
  contracts: ExecutionContext["prompt_contracts"],
): Parameters<AttentionService["assemble"]>[0]["contract"] {
  const [first, ...more] = contracts;
  if (!first || more.length === 0) return first;
  const required = contracts.flatMap(({ required_context }) => required_context ?? []);
  const tokens = required.flatMap(({ max_tokens }) => max_tokens ?? []);
  return {
    contract_id: first.contract_id,
    required_context: {
      stages: required.flatMap(({ stages }) => stages ?? []),
      min_fragments: Math.max(0, ...required.map(({ min_fragments }) => min_fragments ?? 0)),
      ...(tokens.length === 0 ? {} : { max_tokens: Math.min(...tokens) }),
    },
  };
}
