import { canonicalJson, type DomainError, domainError, err, messageOf, ok, type Result } from "#base";
import type { BudgetScope } from "#budget";
import { CallCounter } from "#providers";
import type { WorkOrderV1 } from "#schemas";
import { type Deadline, startDeadline } from "./deadline.ts";
import type {
  ExecutionContext,
  FlowDependencies,
  FlowOptions,
  FlowRequest,
  FlowResult,
  FlowState,
  StrategyOutcome,
} from "./flow.ts";
import { FlowGate } from "./flow-gate.ts";
import { statusOf } from "./flow-status.ts";
import { openSession } from "./open-session.ts";
import { claimedOrderId, validateWorkOrder } from "./steps/1-validate-work-order.ts";
import { resolveFramework } from "./steps/2-resolve-framework.ts";
import { allocateBudget } from "./steps/3-allocate-budget.ts";
import { createContext } from "./steps/4-create-context.ts";
import { assembleContext } from "./steps/5-assemble-context.ts";
import { runStrategy } from "./steps/6-run-strategy.ts";
import { type Acceptance, checkAcceptance } from "./steps/7-check-acceptance.ts";
import { logOutcome, type Outcome } from "./steps/8-log-outcome.ts";
import { returnResult } from "./steps/9-return-result.ts";
import { type SessionTally, watchSession } from "./watch-session.ts";

/** From a work order to a FlowResult. Never throws at its caller and never hangs. */
export interface FlowRunner {
  run(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

export function createFlowRunner(deps: FlowDependencies): FlowRunner {
  const gate = new FlowGate(deps.config.max_concurrent_flows);
  return {
    async run(request, options = {}) {
      const started = deps.clock.monotonic();
      const checked = validateWorkOrder(deps, request);
      if (!checked.ok) return rejectUnopened(deps, request, checked.error, started);
      const seconds = Math.min(
        deps.config.execution_timeout_seconds,
        checked.value.budget?.timeout_seconds ?? deps.config.default_budget.timeout_seconds,
      );
      const deadline = startDeadline(deps.clock, seconds, options.signal);
      try {
        const entered = await gate.enter(deadline.signal);
        if (!entered.ok)
          return await rejectUnopened(deps, request, deadline.timedOut ? tooLate() : entered.error, started);
        try {
          return await runInSession(deps, request, checked.value, deadline, options, started);
        } finally {
          gate.leave();
        }
      } finally {
        deadline.clear();
      }
    },
  };
}

async function runInSession(
  deps: FlowDependencies,
  request: FlowRequest,
  order: WorkOrderV1,
  deadline: Deadline,
  options: FlowOptions,
  started: number,
): Promise<FlowResult> {
  const created = await deps.log.create({ tier: order.plane_id });
  if (!created.ok) return rejectUnopened(deps, request, created.error, started);
  const claimed = await claimOrder(deps, request, order, created.value.session_id, options);
  if (!claimed.ok || claimed.value !== "new") {
    await created.value.release();
    return claimed.ok && claimed.value !== "new"
      ? claimed.value
      : rejectUnopened(deps, request, claimed.ok ? tooLate() : claimed.error, started);
  }
  const { session, tally } = watchSession(created.value, options.onEvent);
  const progress: Progress = { budget: null, context: null, strategy: null, acceptance: null, context_hash: null };

  let failure: DomainError | null;
  try {
    const ran = await nineSteps(
      deps,
      request,
      order,
      { session, signal: deadline.signal, onText: options.onText, calls: new CallCounter() },
      progress,
    );
    failure = ran.ok ? null : ran.error;
  } catch (thrown) {
    // A broken invariant of Writ itself ends the flow as a failure, and the log says so.
    failure = domainError("INTERNAL", `the flow broke: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (failure && deadline.timedOut) failure = failure.code === "PROVIDER_TIMEOUT" ? failure : tooLate();

  const outcome: Outcome = {
    status: failure ? statusOf(failure, { prompted: tally.prompted, timedOut: deadline.timedOut }) : "success",
    error: failure,
    strategy: progress.strategy,
    acceptance: progress.acceptance,
    context_hash: progress.context_hash,
    tokens: tally.prompted ? { input: tally.input, output: tally.output } : null,
    duration_ms: Math.round(deps.clock.monotonic() - started),
  };
  const result = await finish(deps, request, order, session, progress, outcome, tally);
  if (options.fresh) return result;
  const kept = await deps.orders.finish(order.work_order_id, result);
  return kept.ok ? result : { ...result, status: "failure", error: kept.error.message, error_code: kept.error.code };
}

/** An order acts once. One that was written just now under a number of its own cannot have been submitted before. */
async function claimOrder(
  deps: FlowDependencies,
  request: FlowRequest,
  order: WorkOrderV1,
  session_id: string,
  options: FlowOptions,
): Promise<Result<"new" | FlowResult>> {
  if (options.fresh) return ok("new");
  return deps.orders.claim({
    work_order_id: order.work_order_id,
    idempotency_key: order.idempotency_key ?? null,
    order_hash: requestHash(deps, request),
    session_id,
  });
}

interface Progress {
  budget: BudgetScope | null;
  context: ExecutionContext | null;
  strategy: StrategyOutcome | null;
  acceptance: Acceptance | null;
  context_hash: string | null;
}

type Opened = Omit<FlowState, "request" | "order" | "prompt">;

/** Steps 1 to 7; what is known is left in `progress`, so that a failure in any step is logged with all that preceded it. */
async function nineSteps(
  deps: FlowDependencies,
  request: FlowRequest,
  submitted: WorkOrderV1,
  opened: Opened,
  progress: Progress,
): Promise<Result<void>> {
  const admitted = await openSession(deps, request, submitted, opened.session, opened.signal);
  if (!admitted.ok) return admitted;
  const valid = validateWorkOrder(deps, { ...request, work_order: admitted.value.order as never });
  if (!valid.ok) return valid;
  const state: FlowState = { ...opened, request, order: valid.value, prompt: admitted.value.prompt };

  const agent = await resolveFramework(deps, state.order);
  if (!agent.ok) return agent;
  const authorized = deps.authorize(request, state.order, agent.value.agent_class);
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
  if (acceptance.value.passed) return ok(undefined);
  const failed = acceptance.value.gate_results
    .filter((gate) => !gate.passed)
    .map((gate) => `${gate.gate}${gate.message === undefined ? "" : ` (${gate.message})`}`);
  return err(domainError("ACCEPTANCE_FAILED", `not accepted: ${failed.join(", ")}`));
}

/** Steps 8 and 9: however it went, it is logged, the budget is released, the session closed, and the caller gets a result. */
async function finish(
  deps: FlowDependencies,
  request: FlowRequest,
  order: WorkOrderV1,
  session: FlowState["session"],
  progress: Progress,
  outcome: Outcome,
  tally: SessionTally,
): Promise<FlowResult> {
  const { context } = progress;
  const logged = context
    ? await logOutcome({ session } as FlowState, context, outcome)
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
  const released = progress.budget
    ? await deps.budgeter.release(progress.budget, { recorder: session })
    : ok(undefined);
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
    },
  );
}

/** Refused before a session exists: the intake log on `hot` keeps the refusal. */
async function rejectUnopened(
  deps: FlowDependencies,
  request: FlowRequest,
  error: DomainError,
  started: number,
): Promise<FlowResult> {
  const work_order_id = claimedOrderId(request.work_order);
  const entry = await deps.intake.reject({
    work_order_id,
    caller_id: request.caller_id,
    error,
    request_hash: requestHash(deps, request),
  });
  const refused = entry.ok ? error : entry.error;
  const status = entry.ok ? statusOf(error, { prompted: false, timedOut: error.code === "TIMEOUT" }) : "failure";
  return returnResult(
    { work_order_id, agent_id: null, session_id: null },
    {
      status,
      error: refused,
      strategy: null,
      acceptance: null,
      context_hash: null,
      tokens: null,
      duration_ms: Math.round(deps.clock.monotonic() - started),
    },
    { ledger_entry_ids: entry.ok ? [entry.value.id] : [], usd: 0 },
  );
}

function firstError(...results: readonly Result<unknown>[]): DomainError | null {
  for (const result of results) if (!result.ok) return result.error;
  return null;
}

function errorEntry(error: DomainError | null) {
  return { code: error?.code ?? "INTERNAL", message: error?.message ?? "unknown" };
}

function requestHash(deps: FlowDependencies, request: FlowRequest): string {
  return deps.keyedHash(canonicalJson(request.work_order));
}

function tooLate(): DomainError {
  return domainError(
    "TIMEOUT",
    "the time limit of the flow ran out (budget.timeout_seconds or execution_timeout_seconds)",
  );
}
