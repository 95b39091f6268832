import { type DomainError, domainError, err, messageOf, ok, type Result } from "#base";
import type { BudgetScope } from "#budget";
import type { SessionLog } from "#events";
import { CallCounter } from "#providers";
import type { WorkOrderV1 } from "#schemas";
import type { Deadline } from "./deadline.ts";
import type { ExecutionContext, FlowResult } from "./execution-context.ts";
import type { FlowDependencies, FlowOptions, FlowRequest, FlowState, StrategyOutcome } from "./flow.ts";
import { statusOf } from "./flow-status.ts";
import { openSession } from "./open-session.ts";
import { requestHash } from "./request-hash.ts";
import { validateWorkOrder } from "./steps/1-validate-work-order.ts";
import { resolveFramework } from "./steps/2-resolve-framework.ts";
import { allocateBudget } from "./steps/3-allocate-budget.ts";
import { createContext } from "./steps/4-create-context.ts";
import { assembleContext } from "./steps/5-assemble-context.ts";
import { runStrategy } from "./steps/6-run-strategy.ts";
import { type Acceptance, checkAcceptance } from "./steps/7-check-acceptance.ts";
import { logOutcome, type Outcome } from "./steps/8-log-outcome.ts";
import { returnResult } from "./steps/9-return-result.ts";
import { type SessionTally, watchSession } from "./watch-session.ts";

/** One flow in its session. */
export interface FlowInSession {
  readonly request: FlowRequest;
  readonly order: WorkOrderV1;
  readonly session: SessionLog;
  readonly options: FlowOptions;
  readonly deadline: Deadline;
  /** Monotonic time at which the request came. */
  readonly started: number;
  /** Starts another flow: how a strategy reaches agents of the tier below. */
  readonly run: (request: FlowRequest, options?: FlowOptions) => Promise<FlowResult>;
}

/** What is known so far, so that a failure in any step is logged with all that preceded it. */
interface Progress {
  budget: BudgetScope | null;
  context: ExecutionContext | null;
  strategy: StrategyOutcome | null;
  acceptance: Acceptance | null;
  context_hash: string | null;
}

/** The nine steps in one session, from `session.start` to `session.close`, however they end. */
export async function runInSession(deps: FlowDependencies, flow: FlowInSession): Promise<FlowResult> {
  const { deadline, options, started } = flow;
  const { session, tally } = watchSession(flow.session, options.onEvent);
  const progress: Progress = { budget: null, context: null, strategy: null, acceptance: null, context_hash: null };
  const opened: Opened = {
    session,
    signal: deadline.signal,
    onText: options.onText,
    parent: options.parent,
    calls: new CallCounter(),
    run: flow.run,
    children: [],
  };
  let failure: DomainError | null;
  try {
    const ran = await stepsOneToSeven(deps, flow, opened, progress);
    failure = ran.ok ? null : ran.error;
  } catch (thrown) {
    // A broken invariant of Writ itself ends the flow as a failure, and the log says so.
    failure = domainError("INTERNAL", `the flow broke: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (failure && deadline.timedOut && failure.code !== "PROVIDER_TIMEOUT") failure = tooLate();
  const outcome: Outcome = {
    status: failure ? statusOf(failure, { prompted: tally.prompted, timedOut: deadline.timedOut }) : "success",
    error: failure,
    strategy: progress.strategy,
    acceptance: progress.acceptance,
    context_hash: progress.context_hash,
    tokens: tally.prompted ? { input: tally.input, output: tally.output } : null,
    duration_ms: Math.round(deps.clock.monotonic() - started),
  };
  return stepsEightAndNine(deps, flow, opened, progress, outcome, tally);
}

type Opened = Omit<FlowState, "request" | "order" | "prompt">;

async function stepsOneToSeven(
  deps: FlowDependencies,
  flow: FlowInSession,
  opened: Opened,
  progress: Progress,
): Promise<Result<void>> {
  const { request } = flow;
  const admitted = await openSession(deps, request, flow.order, opened.session, opened.signal, opened.parent);
  if (!admitted.ok) return admitted;
  const valid = validateWorkOrder(deps, { ...request, work_order: admitted.value.order as never });
  if (!valid.ok) return valid;
  const state: FlowState = { ...opened, request, order: valid.value, prompt: admitted.value.prompt };

  const agent = await resolveFramework(deps, state.order);
  if (!agent.ok) return agent;
  // A child has what its parent handed down and nothing else: that was weighed when its order was made.
  const authorized = opened.parent ? ok(undefined) : deps.authorize(request, state.order, agent.value.agent_class);
  if (!authorized.ok) return authorized;
  const budget = await allocateBudget(deps, state, agent.value);
  if (!budget.ok) return budget;
  progress.budget = budget.value.scope;
  const context = await createContext(deps, state, agent.value, budget.value);
  if (!context.ok) return context;
  progress.context = context.value;

  const assembled = await assembleContext(deps, state, context.value);
  if (!assembled.ok) return assembled;
  progress.context_hash = assembled.value.context_hash;
  const strategy = await runStrategy(deps, state, agent.value, context.value, assembled.value);
  if (!strategy.ok) return strategy;
  progress.strategy = strategy.value;
  if (strategy.value.error) return err(strategy.value.error);
  const acceptance = await checkAcceptance(deps, state, context.value, strategy.value);
  if (!acceptance.ok) return acceptance;
  progress.acceptance = acceptance.value;
  const intact = await deps.confirmGates(agent.value.framework);
  if (!intact.ok) return intact;
  return acceptance.value.passed ? ok(undefined) : err(notAccepted(acceptance.value));
}

/** However it went, it is logged, the budget is released, the session closed, and the caller gets a result. */
async function stepsEightAndNine(
  deps: FlowDependencies,
  flow: FlowInSession,
  { session, children }: Opened,
  progress: Progress,
  outcome: Outcome,
  tally: SessionTally,
): Promise<FlowResult> {
  const { context, budget } = progress;
  const { order, request } = flow;
  const logged = context
    ? await logOutcome(session, context, outcome)
    : await session.append({
        type: "wo.rejected",
        actor: "flow",
        payload: {
          work_order_id: order.work_order_id,
          caller_id: request.caller_id,
          error: errorEntry(outcome.error),
          request_hash: requestHash(deps, request),
        },
      });
  const released = budget ? await deps.budgeter.release(budget, { recorder: session }) : ok(undefined);
  const reason = outcome.error ? `${outcome.error.code}: ${outcome.error.message}` : undefined;
  const closed = await session.close({
    ok: outcome.status === "success",
    status: outcome.status,
    ...(reason === undefined ? {} : { reason }),
  });
  const unrecorded = firstError(logged, released, closed);
  const final = unrecorded ? { ...outcome, status: "failure" as const, error: unrecorded } : outcome;
  return returnResult(
    { work_order_id: order.work_order_id, agent_id: context?.agent_id ?? null, session_id: session.session_id },
    final,
    {
      ledger_entry_ids: tally.ledgerEntryIds,
      usd: tally.usd,
      children,
    },
  );
}

function firstError(...results: readonly Result<unknown>[]): DomainError | null {
  for (const result of results) if (!result.ok) return result.error;
  return null;
}

function errorEntry(error: DomainError | null) {
  return { code: error?.code ?? "INTERNAL", message: error?.message ?? "unknown" };
}

function notAccepted(acceptance: Acceptance): DomainError {
  const failed = acceptance.gate_results.filter((gate) => !gate.passed);
  return domainError(
    "ACCEPTANCE_FAILED",
    `not accepted: ${failed.map(({ gate, message }) => (message === undefined ? gate : `${gate} (${message})`)).join(", ")}`,
  );
}

export function tooLate(): DomainError {
  return domainError(
    "TIMEOUT",
    "the time limit of the flow ran out (budget.timeout_seconds or execution_timeout_seconds)",
  );
}
