import type { AssembledContext } from "#agents";
import { type AgentContext, planWorkReview, type Router, type Skill, skillCompleted } from "#agents";
import type { EventPayloads } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import { askIn } from "#people";
import { recordEvidence } from "../acceptance/record-evidence.ts";
import { answerRule } from "../citations/answer-rules.ts";
import { startChildren } from "../delegation/start-children.ts";
import { contractOfRole, silentTypes, soloTypes } from "../flow/choose-contracts.ts";
import type { ChosenStrategy } from "../flow/choose-strategy.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { skillsWithin } from "../flow/order-mandate.ts";
import { recoveringRouter } from "../flow/recovery.ts";
import { startSkill } from "../flow/start-skill.ts";
import { foreignType } from "../foreign/foreign-session.ts";
import { serveForeignCalls } from "../foreign/serve-foreign-calls.ts";
import { programType, serveModelCalls } from "../model-calls/serve-model-calls.ts";
import { attachmentsOf } from "../orders/attachments.ts";
import { callToolOnce } from "../strategies/call-tool.ts";
import { delegating } from "../strategies/delegating.ts";
import { type CycleFlow, followCycle } from "../strategies/follow-cycle.ts";
import { holdingActs } from "../strategies/held-acts.ts";
import type { HouseRules } from "../strategies/house-rules.ts";
import { runSolo } from "../strategies/run-solo.ts";
import { runSteps } from "../strategies/run-steps.ts";
import { runTurnOnce } from "../strategies/run-turn.ts";
import type { SubTask } from "../strategies/step-strategy.ts";
import { stepStrategyOf } from "../strategies/step-strategy-of.ts";
import { threadOfAgent } from "../threads/thread-of-agent.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

/** What steps 2 to 5 have made for the strategy. */
export interface PreparedWork {
  readonly agent: ResolvedAgent;
  readonly context: ExecutionContext;
  readonly assembled: AssembledContext;
  readonly chosen: ChosenStrategy;
  /** The rules of the workspace that stand in their instructions. */
  readonly rules: HouseRules | null;
}

/** Step 6. Order, skill and framework choose how the work is done; every way reaches the model through the router. */
export async function runStrategy(
  deps: FlowDependencies,
  state: FlowState,
  { agent, context, assembled, chosen, rules }: PreparedWork,
): Promise<Result<StrategyOutcome>> {
  const announced = await recordStrategy(deps, state, context, { chosen, rules });
  if (!announced.ok) return announced;
  const { strategy, day } = announced.value;
  const { profile } = context.work_order;
  const answering = context.mandate.decide({ kind: "profile", profile });
  if (!answering.allowed) return err(domainError("NOT_AUTHORIZED", answering.reason));
  const router = await deps.routerFor(profile, context.dev_mode);
  if (!router.ok) return router;
  const skill = await startSkill(deps, state, context);
  if (!skill.ok) return skill;
  const reviewer = await deps.reviewers({
    profile,
    role: soloTypes.includes(strategy) ? "solo" : "worker",
    dev_mode: context.dev_mode,
  });
  if (!reviewer.ok) return reviewer;

  const discovered = await deps.skills.discover();
  if (!discovered.ok) return discovered;
  const attached = readsAttachments(strategy)
    ? await deps.openAttachments(attachmentsOf(context.work_order))
    : ok(undefined);
  if (!attached.ok) return attached;

  const recovering = (way: Router): Router =>
    deps.config.v2_features.recovery_enabled
      ? recoveringRouter(way, deps.config.recovery, { state: state.recovery, recorder: state.session })
      : way;
  const { mandate, charges } = context;
  const skills = skillsWithin(mandate, discovered.value.skills);
  // The author does the work; who judges it looks, and changes nothing.
  const lookingOnly = mandate.narrowed({
    tools: [{ document: "the reviewer's role", lists: [{ path: "", patterns: ["fs.list", "fs.read", "fs.search"] }] }],
  });
  const below = delegating(deps, state, context);
  const holding = holdingActs(deps, state, context, below.dispatch);
  const agents: AgentContext = {
    author: {
      agent_id: context.agent_id,
      agent_class: context.agent_class,
      framework_id: context.framework_id,
      tier: context.tier,
      work_order_id: context.work_order.work_order_id,
      order_type: strategy,
      caller_id: context.caller_id,
      inForce: {
        agent_classes: agent.framework.manifest.agent_classes,
        contracts: agent.framework.contracts,
        mandate,
      },
    },
    budget: context.budget_scope,
    prompt: state.prompt,
    input: context.work_order.input ?? {},
    instructions: instructionsOf(context, announced.value.rules),
    contractOf: contractOfRole(context.prompt_contracts, {
      order: { ...context.work_order, type: strategy },
      agent,
    }),
    skill: skill.value,
    ...(state.handsRequest
      ? {
          brief: { ...context.work_order, skills },
          evidence: recordEvidence(deps, state, context),
        }
      : {}),
    ...(attached.value ? { attached: attached.value } : {}),
    pictureOf: deps.pictureOf(context.session_id),
    background: assembled.text,
    contextHash: assembled.context_hash,
    tools: deps.toolOffers((tool) => mandate.decide({ kind: "tool", tool }).allowed),
    isReadOnly: deps.isReadOnly,
    limits: deps.config.agents,
    recorder: state.session,
    router: recovering(router.value),
    reviewer: {
      ...reviewer.value,
      router: recovering(reviewer.value.router),
      tools: deps.toolOffers((tool) => lookingOnly.decide({ kind: "tool", tool }).allowed),
    },
    hooks: deps.hooks,
    schemas: deps.schemas,
    clock: deps.clock,
    ids: deps.ids,
    calls: state.calls,
    signal: state.signal,
    rolePrompt: deps.rolePrompt,
    answerRule: answerRule(state.tally.sources),
    decideHeld: holding.decide,
    dispatch: (call, role, how) =>
      holding.dispatch(call, {
        ...how,
        role,
        skill: skill.value?.id ?? null,
        work_order_id: context.work_order.work_order_id,
        caller_id: state.request.caller_id,
        mandate: role === "reviewer" ? lookingOnly : mandate,
        charges,
        values: state.tally.values,
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
    skills,
    notes: [environmentLine(context, day)],
  };
  return untilSkillEnds(skill.value, state, () => carryOut(flow, plan)).finally(below.close);
}

/** A single prompt is sent as its contract has it: `attachments` is a parameter like any other there. */
function readsAttachments(strategy: string): boolean {
  return soloTypes.includes(strategy) || strategy === "plan-work-review";
}

interface AnnouncedStrategy extends Pick<EventPayloads["strategy.chosen"], "strategy" | "day" | "cycle"> {
  /** The text of the rules in their instructions; empty where there are none. */
  readonly rules: string;
}

/** Recorded before the first prompt. A session that goes on keeps the strategy, the day and the rules that its record names. */
async function recordStrategy(
  { clock, houseRules }: FlowDependencies,
  { session, handsRequest }: FlowState,
  { work_order }: ExecutionContext,
  { chosen, rules }: Pick<PreparedWork, "chosen" | "rules">,
): Promise<Result<AnnouncedStrategy>> {
  const { work_order_id } = work_order;
  const today = { work_order_id, ...chosen, hands_request: true, day: isoTime(clock.now()).slice(0, 10) };
  // A fork keeps to what its parent settled, or the parent's answers would be to other prompts.
  const settled = session.past?.of === "parent" ? session.past.takeSettled("strategy.chosen") : undefined;
  const payload: EventPayloads["strategy.chosen"] = settled ? { ...settled.payload, work_order_id } : today;
  if (silentTypes.includes(chosen.strategy)) return ok({ ...payload, rules: "" }); // one call or one turn: there is nothing to choose
  // What a session that began before there were rules sent is in its record, without any.
  const kept = rules && handsRequest && !settled ? await houseRules.keep(rules) : ok(undefined);
  if (!kept.ok) return kept;
  const staged = session.stage({
    type: "strategy.chosen",
    actor: "flow",
    payload: { ...payload, ...(kept.value ? { house_rules: kept.value } : {}) },
  });
  if (!staged.ok) return staged;
  const { house_rules } = staged.value.payload;
  const text = house_rules ? await houseRules.read(house_rules) : ok("");
  return text.ok ? ok({ ...staged.value.payload, rules: text.value }) : text;
}

/** By day, so that the message stays the same for as long as a provider's cache may hold it. */
export function environmentLine({ mandate }: Pick<ExecutionContext, "mandate">, day: string): string {
  const lists = mandate.document.write.flatMap((source) => source.lists);
  const writable = lists.find(({ path }) => path === "scope.allowed_files")?.patterns ?? [];
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

/** What the framework says to its agents, then the rules of the workspace, as a part of their instructions. */
export function instructionsOf({ framework_id, instructions }: ExecutionContext, rules = ""): string {
  const own =
    instructions.length === 0 ? [] : [`# ${framework_id}\n\n${instructions.map((each) => `- ${each}`).join("\n")}`];
  return [...own, ...(rules === "" ? [] : [rules])].join("\n\n");
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
  if (soloTypes.includes(type)) {
    const thread = await threadOfAgent(deps, state);
    if (!thread.ok) return thread;
    return runSolo(agents, context, { ...plan, isReviewed: type === "reviewed-solo", thread: thread.value });
  }
  if (type === "plan-work-review") return reviewedWork(flow);
  if (type === "tool-call") return callToolOnce(agents, context);
  if (type === "turn") return runTurnOnce(deps, state, context);
  if (type === programType) return serveModelCalls(flow);
  if (type === foreignType) return serveForeignCalls(flow);
  const delegate = (tasks: readonly SubTask[]) => startChildren(deps, state, context, tasks);
  const strategy = stepStrategyOf(deps, type, plan.framework);
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
