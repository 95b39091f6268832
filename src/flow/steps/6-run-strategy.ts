import { type AgentContext, planWorkReview } from "#agents";
import type { AssembledContext } from "#attention";
import { domainError, err, ok, type Result } from "#base";
import { decideRight, type Grant } from "#governance";
import type { ExecutionContext, FlowDependencies, FlowState, SelectedSkill, StrategyOutcome } from "../flow.ts";
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
    return err(domainError("WORKFLOW_UNKNOWN_ID", `no cycle ${JSON.stringify(context.work_order.cycle ?? "")} is registered`));
  const skill = await selectSkill(deps, state, context);
  if (!skill.ok) return skill;
  const router = deps.routerFor(context.work_order.profile);
  if (!router.ok) return router;

  const toolGrants = grantsOfTools(context, agent, skill.value);
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
  const outcome = context.work_order.type === "plan-work-review" ? await reviewedWork(agents) : await answerInOneStep(agents, context);
  if (skill.value) {
    const completed = state.session.stage({ type: "skill.complete", actor: "skills", payload: { skill: skill.value.id, ok: outcome.ok && outcome.value.error === null } });
    if (!completed.ok) return completed;
  }
  return outcome;
}

async function reviewedWork(agents: AgentContext): Promise<Result<StrategyOutcome>> {
  const reviewed = await planWorkReview(agents);
  if (!reviewed.ok) return reviewed;
  const { output, verdict, feedback, reworkCount } = reviewed.value;
  const error = verdict === "pass" ? null : domainError("REVIEW_FAILED", `the reviewer did not accept the work after ${reworkCount} reworks: ${feedback}`, { details: { feedback, rework_count: reworkCount } });
  return ok({ response: output, verdict, error });
}

/** Chosen by the order or by the prompt, announced, and subject to SkillStart. */
async function selectSkill(deps: FlowDependencies, state: FlowState, context: ExecutionContext): Promise<Result<SelectedSkill | null>> {
  const selected = await deps.selectSkill(state.prompt, context.work_order.skill);
  if (!selected.ok || selected.value === null) return selected;
  const { id, allowedTools, source, reason } = selected.value;
  const staged = state.session.stage({ type: "skill.invoke", actor: "skills", payload: { skill: id, allowed_tools: [...allowedTools], source, reason } });
  if (!staged.ok) return staged;
  const gate = await deps.hooks.fire("SkillStart", { subject: id, payload: { skill: id, allowed_tools: allowedTools } }, { recorder: state.session, signal: state.signal });
  if (!gate.ok) return gate;
  if (gate.value.decision === "deny" || gate.value.decision === "ask")
    return err(domainError("GATE_DENIED", `SkillStart refused the skill ${id}: ${gate.value.reason}`, { details: { point: "SkillStart", skill: id, decided_by: gate.value.decidedBy } }));
  return selected;
}

function grantsOfTools(context: ExecutionContext, agent: ResolvedAgent, skill: SelectedSkill | null): readonly Grant[] {
  const { manifest } = agent.framework;
  return [
    { source: `work order ${context.work_order.work_order_id} (tool_permissions)`, patterns: context.tool_permissions },
    ...(manifest.tools === undefined ? [] : [{ source: `framework ${manifest.framework_id} (tools)`, patterns: manifest.tools }]),
    ...(skill === null ? [] : [{ source: `skill ${skill.id} (allowed-tools)`, patterns: skill.allowedTools }]),
  ];
}

function grantsOfPaths(context: ExecutionContext): readonly Grant[] {
  return [
    { source: `work order ${context.work_order.work_order_id} (scope.allowed_files)`, patterns: context.work_order.scope.allowed_files },
    { source: `framework ${context.framework_id} (path_authorizations)`, patterns: context.path_authorizations },
  ];
}
