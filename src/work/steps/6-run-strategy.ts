import type { AssembledContext } from "#agents";
import { type AgentContext, planWorkReview, type Skill, skillCompleted } from "#agents";
import type { EventPayloads } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import { askIn } from "#people";
import { contractOfRole, silentTypes, soloTypes } from "../flow/choose-contracts.ts";
import type { ChosenStrategy } from "../flow/choose-strategy.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { foldEvidence } from "../flow/fold-evidence.ts";
import { recoveringRouter } from "../flow/recovery.ts";
import { startChildren } from "../flow/start-children.ts";
import { startSkill } from "../flow/start-skill.ts";
import { callToolOnce } from "../strategies/call-tool.ts";
import { type CycleFlow, followCycle } from "../strategies/follow-cycle.ts";
import { runSolo } from "../strategies/run-solo.ts";
import { runSteps } from "../strategies/run-steps.ts";
import { runTurnOnce } from "../strategies/run-turn.ts";
import type { SubTask } from "../strategies/step-strategy.ts";
import { strategyOf } from "../strategies/strategy-of.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

/** What steps 2 to 5 have made for the strategy. */
export interface PreparedWork {
  readonly agent: ResolvedAgent;
  readonly context: ExecutionContext;
  readonly assembled: AssembledContext;
  readonly chosen: ChosenStrategy;
}

/** Step 6. Order, skill and framework choose how the work is done; every way reaches the model through the router. */
export async function runStrategy(
  deps: FlowDependencies,
  state: FlowState,
  { agent, context, assembled, chosen }: PreparedWork,
): Promise<Result<StrategyOutcome>> {
  const announced = recordStrategy(deps, state, context, chosen);
  if (!announced.ok) return announced;
  const { strategy, day } = announced.value;
  const { profile } = context.work_order;
  const answering = context.mandate.decide({ kind: "profile", profile });
  if (!answering.allowed) return err(domainError("NOT_AUTHORIZED", answering.reason));
  const router = await deps.routerFor(profile, context.dev_mode);
  if (!router.ok) return router;
  const skill = await startSkill(deps, state, context);
  if (!skill.ok) return skill;

  const discovered = await deps.skills.discover();
  if (!discovered.ok) return discovered;

  const { mandate, charges } = context;
  const agents: AgentContext = {
    author: {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      order_type: strategy,
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
    contractOf: contractOfRole(context.prompt_contracts, {
      order: { ...context.work_order, type: strategy },
      agent,
    }),
    skill: skill.value,
    ...(state.handsRequest
      ? {
          brief: { ...context.work_order, skills: discovered.value.skills },
          evidence: foldEvidence(deps, state),
        }
      : {}),
    background: assembled.text,
    contextHash: assembled.context_hash,
    tools: deps.toolOffers((tool) => mandate.decide({ kind: "tool", tool }).allowed),
    isReadOnly: deps.isReadOnly,
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
    dispatch: (call, role, how) =>
      deps.dispatch(call, {
        ...how,
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
    ...(state.onPart ? { onPart: state.onPart } : {}),
  };
  const flow: CycleFlow = { deps, state, context, assembled, agents };
  const plan = {
    strategy,
    cycle: announced.value.cycle ?? null,
    framework: agent.framework,
    skills: discovered.value.skills,
    notes: [environmentLine(context, day)],
  };
  return untilSkillEnds(skill.value, state, () => carryOut(flow, plan));
}

/** Recorded before the first prompt. A session that goes on keeps the strategy and the day that its record names. */
function recordStrategy(
  { clock }: FlowDependencies,
  { session }: FlowState,
  { work_order }: ExecutionContext,
  chosen: ChosenStrategy,
): Result<EventPayloads["strategy.chosen"]> {
  const payload = {
    work_order_id: work_order.work_order_id,
    ...chosen,
    hands_request: true,
    day: isoTime(clock.now()).slice(0, 10),
  };
  if (silentTypes.includes(chosen.strategy)) return ok(payload); // one call or one turn: there is nothing to choose
  const staged = session.stage({ type: "strategy.chosen", actor: "flow", payload });
  return staged.ok ? ok(staged.value.payload) : staged;
}

/** By day, so that the message stays the same for as long as a provider's cache may hold it. */
export function environmentLine({ work_order }: ExecutionContext, day: string): string {
  const writable = work_order.scope.allowed_files ?? [];
  const where =
    writable.length === 0 ? "No file may be written." : `Files that may be written: ${writable.join(", ")}.`;
  return `Today is ${day}. Paths are relative to the workspace. ${where}`;
}

/** What step 6 settled on. */
interface StrategyPlan {
  readonly strategy: string;
  readonly cycle: string | null;
  readonly framework: ResolvedAgent["framework"];
  readonly skills: readonly Skill[];
  /** Further parts of the system message of an agent that works alone. */
  readonly notes: readonly string[];
}

/** What the framework says to its agents, as a part of their instructions. */
export function instructionsOf({ framework_id, instructions }: ExecutionContext): string {
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

async function carryOut(flow: CycleFlow, plan: StrategyPlan): Promise<Result<StrategyOutcome>> {
  const { deps, state, context, agents } = flow;
  const { strategy: type, cycle } = plan;
  if (type === "cycle") return followCycle(flow, cycle ?? "");
  if (soloTypes.includes(type)) return runSolo(agents, context, { ...plan, isReviewed: type === "reviewed-solo" });
  if (type === "plan-work-review") return reviewedWork(flow);
  if (type === "tool-call") return callToolOnce(agents, context);
  if (type === "turn") return runTurnOnce(deps, state, context);
  const delegate = (tasks: readonly SubTask[]) => startChildren(deps, state, context, tasks);
  const strategy = strategyOf(deps, type, plan.framework);
  return strategy.ok ? runSteps({ deps, state, context, agents, strategy: strategy.value, delegate }) : strategy;
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
