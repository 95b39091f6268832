import { type AgentContext, planWorkReview } from "#agents";
import type { AssembledContext } from "#attention";
import { domainError, err, ok, type Result } from "#base";
import { decideRight } from "#governance";
import { skillCompleted } from "#skills";
import type { ExecutionContext, FlowDependencies, FlowState, StrategyOutcome } from "../flow.ts";
import { grantsOfPaths, grantsOfTools } from "../grants.ts";
import { startSkill } from "../start-skill.ts";
import { answerInOneStep } from "../strategies/single-step.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

/** Step 6. The order's type chooses how the work is done; every way reaches the model through the router. */
export async function runStrategy(
  deps: FlowDependencies,
  state: FlowState,
  agent: ResolvedAgent,
  context: ExecutionContext,
  assembled: AssembledContext,
): Promise<Result<StrategyOutcome>> {
  if (context.work_order.type === "cycle")
    return err(
      domainError("WORKFLOW_UNKNOWN_ID", `no cycle ${JSON.stringify(context.work_order.cycle ?? "")} is registered`),
    );
  const skill = await startSkill(deps, state, context);
  if (!skill.ok) return skill;
  const router = await deps.routerFor(context.work_order.profile, context.dev_mode);
  if (!router.ok) return router;

  const toolGrants = grantsOfTools(context, agent.framework, skill.value);
  const writeGrants = grantsOfPaths(context);
  const agents: AgentContext = {
    author: {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      work_order_id: context.work_order.work_order_id,
      caller_id: context.caller_id,
    },
    budget: context.budget_scope,
    prompt: state.prompt,
    skill: skill.value,
    background: assembled.text,
    contextHash: assembled.context_hash,
    tools: deps.toolOffers((name) => decideRight(name, toolGrants).allowed),
    limits: deps.config.agents,
    recorder: state.session,
    router: router.value,
    hooks: deps.hooks,
    schemas: deps.schemas,
    clock: deps.clock,
    ids: deps.ids,
    calls: state.calls,
    signal: state.signal,
    rolePrompt: deps.rolePrompt,
    dispatch: (call, role) =>
      deps.dispatch(call, {
        role,
        skill: skill.value?.id ?? null,
        work_order_id: context.work_order.work_order_id,
        toolGrants,
        writeGrants,
        recorder: state.session,
        signal: state.signal,
      }),
    ...(state.onText ? { onText: state.onText } : {}),
  };
  const outcome =
    context.work_order.type === "plan-work-review"
      ? await reviewedWork(agents)
      : await answerInOneStep(agents, context);
  if (skill.value) {
    const completed = state.session.stage(
      skillCompleted(skill.value, { ok: outcome.ok && outcome.value.error === null }),
    );
    if (!completed.ok) return completed;
  }
  return outcome;
}

async function reviewedWork(agents: AgentContext): Promise<Result<StrategyOutcome>> {
  const reviewed = await planWorkReview(agents);
  if (!reviewed.ok) return reviewed;
  const { output, verdict, feedback, reworkCount } = reviewed.value;
  const error =
    verdict === "pass"
      ? null
      : domainError("REVIEW_FAILED", `the reviewer did not accept the work after ${reworkCount} reworks: ${feedback}`, {
          details: { feedback, rework_count: reworkCount },
        });
  return ok({ response: output, verdict, error });
}
