import type { AssembledContext } from "#agents";
import { type AgentContext, planWorkReview, type Skill, skillCompleted } from "#agents";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { askIn } from "#people";
import { contractOfRole } from "../flow/choose-contracts.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { recoveringRouter } from "../flow/recovery.ts";
import { startChildren } from "../flow/start-children.ts";
import { startSkill } from "../flow/start-skill.ts";
import { callToolOnce } from "../strategies/call-tool.ts";
import { type CycleFlow, followCycle } from "../strategies/follow-cycle.ts";
import { runSteps } from "../strategies/run-steps.ts";
import { runTurnOnce } from "../strategies/run-turn.ts";
import { type StepStrategy, type SubTask, singleStepStrategy } from "../strategies/step-strategy.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

/** What steps 2 to 5 have made for the strategy. */
export interface PreparedWork {
  readonly agent: ResolvedAgent;
  readonly context: ExecutionContext;
  readonly assembled: AssembledContext;
}

/** Step 6. The order's type chooses how the work is done; every way reaches the model through the router. */
export async function runStrategy(
  deps: FlowDependencies,
  state: FlowState,
  { agent, context, assembled }: PreparedWork,
): Promise<Result<StrategyOutcome>> {
  const router = await deps.routerFor(context.work_order.profile, context.dev_mode);
  if (!router.ok) return router;
  const skill = await startSkill(deps, state, context);
  if (!skill.ok) return skill;

  const { mandate, charges } = context;
  const agents: AgentContext = {
    author: {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      order_type: context.work_order.type,
      caller_id: context.caller_id,
      law: {
        agent_classes: agent.framework.manifest.agent_classes,
        contracts: agent.framework.contracts,
        mandate,
      },
    },
    budget: context.budget_scope,
    prompt: state.prompt,
    input: context.work_order.input ?? {},
    instructions: instructionsOf(context),
    contractOf: contractOfRole(context.prompt_contracts, { order: context.work_order, agent }),
    skill: skill.value,
    background: assembled.text,
    contextHash: assembled.context_hash,
    tools: deps.toolOffers((tool) => mandate.decide({ kind: "tool", tool }).allowed),
    limits: deps.config.agents,
    recorder: state.session,
    router: deps.config.v2_features.recovery_enabled
      ? recoveringRouter(router.value, deps.config.recovery, { state: state.recovery, recorder: state.session })
      : router.value,
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
        caller_id: state.request.caller_id,
        mandate,
        charges,
        recorder: state.session,
        signal: state.signal,
        ...(state.onProgress ? { onProgress: state.onProgress } : {}),
      }),
    ...(state.onText ? { onText: state.onText } : {}),
  };
  const flow: CycleFlow = { deps, state, context, assembled, agents };
  return untilSkillEnds(skill.value, state, () => carryOut(flow, cycleOf(context, skill.value)));
}

/** What the framework says to its agents, as a part of their instructions. */
function instructionsOf({ framework_id, instructions }: ExecutionContext): string {
  return instructions.length === 0 ? "" : `# ${framework_id}\n\n${instructions.map((each) => `- ${each}`).join("\n")}`;
}

/** What was announced has an end in the record, also when Writ itself broke. */
async function untilSkillEnds(
  skill: Skill | null,
  { session }: Pick<FlowState, "session">,
  work: () => Promise<Result<StrategyOutcome>>,
): Promise<Result<StrategyOutcome>> {
  const end = (isDone: boolean) => (skill ? session.stage(skillCompleted(skill, { ok: isDone })) : ok(undefined));
  let outcome: Result<StrategyOutcome>;
  try {
    outcome = await work();
  } catch (thrown) {
    end(false); // a log that refuses this too says so at close; what broke is the news
    throw thrown;
  }
  const ended = end(outcome.ok && outcome.value.error === null);
  return ended.ok || !outcome.ok ? outcome : ended;
}

async function carryOut(flow: CycleFlow, cycle: string | null): Promise<Result<StrategyOutcome>> {
  const { deps, state, context, agents } = flow;
  const { type } = context.work_order;
  if (cycle !== null) return followCycle(flow, cycle);
  if (type === "plan-work-review") return reviewedWork(flow);
  if (type === "tool-call") return callToolOnce(agents, context);
  if (type === "turn") return runTurnOnce(deps, state, context);
  const delegate = (tasks: readonly SubTask[]) => startChildren(deps, state, context, tasks);
  const strategy = strategyOf(deps, type);
  return strategy.ok ? runSteps({ deps, state, context, agents, strategy: strategy.value, delegate }) : strategy;
}

/** The cycle that an order asks for: by its type, or by the skill that was chosen for it. */
function cycleOf({ work_order }: ExecutionContext, skill: Skill | null): string | null {
  if (work_order.type === "cycle") return work_order.cycle ?? "";
  const named = skill?.frontmatter["cycle"];
  return work_order.type === "plan-work-review" && typeof named === "string" && named !== "" ? named : null;
}

async function reviewedWork(flow: CycleFlow): Promise<Result<StrategyOutcome>> {
  const reviewed = await planWorkReview({
    ...flow.agents,
    ...askingAboutReview(flow),
    // The lead may name a cycle in its directive; it runs under the order's rights like everything else.
    followCycle: async (cycle_id) => {
      const followed = await followCycle(flow, cycle_id);
      if (!followed.ok) return followed;
      const { response, verdict, error } = followed.value;
      return ok({ output: response, verdict: verdict ?? "", error });
    },
  });
  if (!reviewed.ok) return reviewed;
  const { output, verdict, feedback, reworkCount, followed } = reviewed.value;
  if (followed) return ok({ response: followed.output, verdict: followed.verdict, error: followed.error });
  const error =
    verdict === "pass"
      ? null
      : domainError("REVIEW_FAILED", `the reviewer did not accept the work after ${reworkCount} reworks: ${feedback}`, {
          details: { feedback, rework_count: reworkCount },
        });
  return ok({ response: output, verdict, error });
}

/** An app decides about work of its run, a parent about its child's: a person is asked only about work submitted directly. */
function askingAboutReview({ deps, state, context }: CycleFlow): Pick<AgentContext, "ask"> {
  const { work_id, parent_work_order_id } = context.work_order;
  if (work_id !== undefined || parent_work_order_id !== undefined) return {};
  return { ask: askIn(deps.inbox, context.caller_id, state.session) };
}

/** One prompt, unless a strategy is registered for this type of order: then that one, or a refusal where the feature is off. */
function strategyOf(deps: FlowDependencies, type: string): Result<StepStrategy> {
  const own = Object.hasOwn(deps.strategies, type) ? deps.strategies[type] : undefined;
  if (!own) return ok(singleStepStrategy);
  if (deps.config.v2_features.multi_step_enabled) return ok(own);
  return err(
    domainError(
      "FEATURE_DISABLED",
      `orders of type "${type}" have a strategy of their own, and strategies are switched off (v2_features.multi_step_enabled in writ.yaml)`,
    ),
  );
}
