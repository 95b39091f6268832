import type { BudgetScope } from "#agents";
import { CallCounter } from "#agents";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { placeOf } from "#governance/mandate";
import { checkOrderInvariants, orderFacts } from "../acceptance/invariants.ts";
import { guardAgainstHalts } from "../halts/haltable-session.ts";
import { haltedError } from "../halts/halts.ts";
import { readDeclaredInputs } from "../orders/declared-inputs.ts";
import { checkPromisedOutputs } from "../orders/declared-outputs.ts";
import { promptOfOrder } from "../orders/prompt-of-order.ts";
import { knowParent, replayOwnRecord } from "../replay/replaying-session.ts";
import { validateWorkOrder } from "../steps/1-validate-work-order.ts";
import { checkSpec, resolveFramework } from "../steps/2-resolve-framework.ts";
import { allocateBudget, limitsOf } from "../steps/3-allocate-budget.ts";
import { createContext } from "../steps/4-create-context.ts";
import { assembleContext } from "../steps/5-assemble-context.ts";
import { runStrategy } from "../steps/6-run-strategy.ts";
import { type Acceptance, checkAcceptance } from "../steps/7-check-acceptance.ts";
import type { Outcome } from "../steps/8-log-outcome.ts";
import type { HookNotes } from "../strategies/hook-notes.ts";
import { shownTo } from "../threads/shown-to.ts";
import { placeOfFlow } from "../threads/thread-place.ts";
import { authorizeFlow } from "./authorize-flow.ts";
import { checkStated } from "./check-stated.ts";
import { hasHouseRules } from "./choose-contracts.ts";
import type { Deadline } from "./deadline.ts";
import { type EndedFlow, endFlow, yielded } from "./end-flow.ts";
import type { FlowResult } from "./execution-context.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";
import type { FlowInSession, Opened, Progress, StoppedFlow } from "./flow-in-session.ts";
import { flowStatusOf } from "./flow-status.ts";
import { handsRequest } from "./hands-request.ts";
import { interruptedFlow } from "./is-stopped.ts";
import { layeredSession } from "./layered-session.ts";
import { openSession } from "./open-session.ts";
import { withOvershoot } from "./order-cost.ts";
import { beginWrites, hasLanded, landWrites } from "./order-writes.ts";
import { settleOrder } from "./settle-order.ts";
import { didOf, type SessionTally, watchSession } from "./watch-session.ts";

/** Runs the nine steps in one session, from `session.start` to `session.close`, whatever their outcome. */
export async function runInSession(deps: FlowDependencies, flow: FlowInSession): Promise<FlowResult> {
  const { deadline, options, started, before } = flow;
  const shown = shownTo(options);
  const { tally, middleware } = watchSession({ onEvent: shown.onEvent, readSession: deps.readSession }, before?.events);
  const interrupt = options.interrupt ?? options.parent?.interrupt;
  const stop = () => deadline.abort();
  const guard = guardAgainstHalts(deps.halts, options.parent?.ancestors ?? [], stop, interrupt);
  const session = layeredSession(flow.session, [
    middleware,
    guard.middleware,
    ...(before ? [replayOwnRecord(before.past)] : options.fork ? [knowParent(options.fork.past)] : []),
  ]);
  const progress: Progress = {
    budget: null,
    context: null,
    strategy: null,
    acceptance: null,
    context_hash: null,
    promised: false,
    landed: false,
  };
  const opened: Opened = {
    session,
    signal: deadline.signal,
    interrupt,
    // A message has its place in the thread as soon as its session begins: its order is on disk at once, not with the first call.
    isFollowed: [options.onEvent, options.onPart, options.onText, options.thread].some((each) => each !== undefined),
    onPart: shown.onPart,
    onProgress: options.onProgress,
    modelCalls: options.modelCalls,
    foreign: options.foreign,
    parent: options.parent,
    within: options.parent?.mandate.document ?? options.within,
    hookOf: options.hookOf,
    callsBelow: before?.callsBelow ?? options.fork?.callsBelow ?? [],
    calls: new CallCounter(callsOf(before)),
    tally,
    run: flow.run,
    resumeChild: flow.resumeChild ?? options.fork?.resumeChild,
    children: [],
    handedDown: { count: 0 },
    recovery: { retries: 0, partial: [] },
    tried: {},
    thread: placeOfFlow(options.thread, session.session_id, before?.events),
    handsRequest: handsRequest(before?.events),
    recordedStart: before?.events.find((event) => event.type === "wo.started")?.payload,
  };
  let failure: DomainError | null;
  try {
    const ran = await stepsOneToSeven(deps, flow, opened, progress);
    failure = ran.ok ? null : ran.error;
  } catch (thrown) {
    // A broken invariant of Writ itself fails the flow and is logged.
    failure = domainError("INTERNAL", `the flow broke: ${messageOf(thrown)}`, { cause: thrown });
  }
  guard.end();
  const halt = await guard.halted();
  if (halt) failure = haltedError(halt);
  else if (failure && interrupt?.aborted) failure = interruptedFlow();
  else if (failure && deadline.timedOut && failure.code !== "PROVIDER_TIMEOUT") failure = tooLate(deadline);
  const outcome: Outcome = {
    status: failure ? flowStatusOf(failure, { acted: tally.acted, timedOut: deadline.timedOut }) : "success",
    error: failure,
    strategy: progress.strategy,
    acceptance: progress.acceptance,
    context_hash: progress.context_hash,
    cost: await costOf(deps, tally, progress.budget),
    duration_ms: Math.round(deps.clock.monotonic() - started),
  };
  options.parent?.report(flow.order.work_order_id, didOf(tally));
  const ended: EndedFlow = { flow, opened, progress, outcome, tally };
  try {
    return failure?.code === "LEASE_LOST" ? yielded(ended) : await endFlow(deps, ended);
  } finally {
    deps.landing.end(session.session_id);
  }
}

async function costOf({ budgeter }: FlowDependencies, { cost }: SessionTally, budget: BudgetScope | null) {
  const status = budget && (await budgeter.status(budget));
  return status?.ok ? withOvershoot(cost, status.value) : cost;
}

function callsOf(before: StoppedFlow | undefined) {
  return (before?.events ?? []).filter((event) => event.type === "llm.request").map(({ payload }) => payload);
}

/** A resumed flow must repeat every recorded effect. If it did not, it diverged from its record. */
function strayed(before: StoppedFlow | undefined): DomainError | null {
  const untaken = before?.past.untaken() ?? [];
  if (untaken.length === 0) return null;
  return domainError(
    "REPLAY_DIVERGED",
    `the session did not go the way that its record tells: ${untaken[0]} was made before and is not asked for now`,
    { details: { untaken } },
  );
}

async function stepsOneToSeven(
  deps: FlowDependencies,
  flow: FlowInSession,
  opened: Opened,
  progress: Progress,
): Promise<Result<void>> {
  const { request } = flow;
  const gathering = beginWrites(deps, flow);
  if (!gathering.ok) return gathering;
  // The recorded order is the one after the hooks; the original prompt is not stored.
  const admitted = flow.before
    ? ok({ order: flow.order, prompt: promptOfOrder(flow.order), sealed: [], hookNotes: hookNotesBefore(flow.before) })
    : await openSession(deps, flow, opened.session, opened.signal);
  if (!admitted.ok) return admitted;
  // Validated again: a hook may have rewritten the prompt, and redaction may have changed any text.
  const valid = validateWorkOrder(deps, { ...request, work_order: admitted.value.order });
  if (!valid.ok) return valid;
  const { prompt, hookNotes } = admitted.value;
  const state: FlowState = { ...opened, request, order: valid.value, prompt, hookNotes };

  const agent = await resolveFramework(deps, state.order);
  if (!agent.ok) return agent;
  const authorized = await authorizeFlow(deps, flow, state.order, agent.value);
  if (!authorized.ok) return authorized;
  const admissible = begins(flow) ? checkSpec(state.order, agent.value.framework) : ok(undefined);
  if (!admissible.ok) return admissible;
  const settled = await settleOrder(deps, state, agent.value, authorized.value);
  if (!settled.ok) return settled;
  const { chosen, contracts, compiled } = settled.value;
  const stated =
    begins(flow) && state.within === undefined ? checkStated(deps, state.order, settled.value) : ok(undefined);
  if (!stated.ok) return stated;
  const { framework } = agent.value;
  const order = orderFacts(state.order, limitsOf(compiled.mandate.document.limits));
  const held = begins(flow) ? checkOrderInvariants(framework, order) : ok(undefined);
  if (!held.ok) return held;
  const inputs = begins(flow) ? await readDeclaredInputs(deps, state.order, compiled.mandate) : ok([]);
  if (!inputs.ok) return inputs;
  const promised = begins(flow) ? checkPromisedOutputs(state.order, compiled.mandate) : ok(undefined);
  if (!promised.ok) return promised;
  const budget = await allocateBudget(deps, state, agent.value, compiled.mandate);
  if (!budget.ok) return budget;
  progress.budget = budget.value.scope;
  const { timeout_seconds } = compiled.mandate.document.limits;
  flow.deadline.narrow(timeout_seconds.value, placeOf(timeout_seconds));
  const { sealed } = admitted.value;
  const context = await createContext(deps, { ...state, inputs: inputs.value, sealed }, agent.value, {
    budget: budget.value,
    compiled,
    contracts,
  });
  if (!context.ok) return context;
  progress.context = context.value;

  const rules = hasHouseRules(chosen.strategy) ? await deps.houseRules.find(context.value) : ok(null);
  if (!rules.ok) return rules;
  const assembled = await assembleContext(deps, { ...state, rules: rules.value }, context.value);
  if (!assembled.ok) return assembled;
  progress.context_hash = assembled.value.context_hash;
  const strategy = await runStrategy(deps, state, {
    agent: agent.value,
    context: context.value,
    assembled: assembled.value,
    chosen,
    rules: rules.value,
  });
  if (!strategy.ok) return strategy;
  progress.strategy = strategy.value;
  const { error } = strategy.value;
  // What was done of a partial order lands only where the order says so; accepted it must be in any case.
  if (error && !(error.code === "PARTIAL_RESULT" && state.order.on_partial === "land")) return err(error);
  const acceptance =
    acceptedBefore(flow.before) ??
    (await checkAcceptance(deps, state, context.value, { ...strategy.value, framework }));
  if (!acceptance.ok) return acceptance;
  progress.acceptance = acceptance.value;
  const intact = await deps.confirmGates(agent.value.framework);
  if (!intact.ok) return intact;
  const refused = acceptance.value.error ?? strayed(flow.before);
  if (refused) return err(refused);
  const landed = await landWrites(deps, flow, opened.session);
  progress.landed = landed.ok;
  progress.promised = !landed.ok && landed.error.details["promised"] === true;
  return landed.ok && error ? err(error) : landed;
}

/** What hooks said when the session began: its agents keep to that. */
function hookNotesBefore({ events }: StoppedFlow): HookNotes {
  const opening = ["SessionStart", "UserPromptSubmit"];
  return events.flatMap((event) =>
    event.type === "hook.fired" && opening.includes(event.payload.point) ? (event.payload.context ?? []) : [],
  );
}

/** An order that has landed was accepted: its criteria are not tried again over a workspace that may have changed since. */
function acceptedBefore(before: StoppedFlow | undefined): Result<Acceptance> | undefined {
  const checked = hasLanded(before?.events) && before?.events.find((event) => event.type === "acceptance.checked");
  if (!checked) return undefined;
  const { passed, gate_results } = checked.payload;
  return ok({ passed, gate_results, error: null });
}

/** What an order rests on is checked when it begins to act: a session that goes on may have changed its own inputs since. */
function begins({ before, options }: FlowInSession): boolean {
  return before === undefined && options.fork === undefined;
}

export function tooLate({ clause }: Pick<Deadline, "clause">): DomainError {
  return domainError("TIMEOUT", `the time limit of the flow ran out (${clause})`);
}
