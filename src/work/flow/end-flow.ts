import { type DomainError } from "#core/errors";
import { overBudget } from "#core/terminal";
import { ok, type Result } from "#core/values";
import { logOutcome, type Outcome } from "../steps/8-log-outcome.ts";
import { returnResult } from "../steps/9-return-result.ts";
import { valuesOffText } from "../story/values-off.ts";
import type { FlowResult } from "./execution-context.ts";
import type { FlowDependencies } from "./flow.ts";
import type { FlowInSession, Opened, Progress } from "./flow-in-session.ts";
import { setWritesAside } from "./order-writes.ts";
import { requestHash } from "./request-hash.ts";
import { effectsOf, type SessionTally } from "./watch-session.ts";

/**
 * Records the outcome and closes the session, or leaves it open where it may be resumed. What an order that did not succeed has
 * written goes into quarantine first; a session that stays open keeps it, except after a halt.
 */
export async function endFlow(deps: FlowDependencies, ended: EndedFlow): Promise<FlowResult> {
  const { flow, opened, progress, outcome } = ended;
  const { error } = outcome;
  if (!error) return stepsEightAndNine(deps, ended);
  const staysOpen = stopsOpen(error) || flow.before?.past.isCaughtUp === false;
  const hasActed = progress.context !== null || deps.landing.waiting(flow.session.session_id) > 0;
  const isLeft = hasActed && !progress.promised && !progress.landed && (!staysOpen || error.code === "HALTED");
  const aside = isLeft ? await setWritesAside(deps, opened, flow.order.work_order_id, error) : ok(undefined);
  const left = {
    ...ended,
    outcome: aside.ok ? { ...outcome, quarantine_id: aside.value } : { ...outcome, error: aside.error },
  };
  return staysOpen ? suspend(deps, left) : stepsEightAndNine(deps, left);
}

/** Whether the flow stops and its session stays open: a halt can be lifted, a doubt resolved, a diverged record inspected. */
function stopsOpen(error: DomainError): boolean {
  const { code, kind } = error;
  return kind === "doubt" || code === "HALTED" || code === "REPLAY_DIVERGED" || code === "INTERRUPTED";
}

/** A flow after its first seven steps, or after the one that failed. */
export interface EndedFlow {
  readonly flow: FlowInSession;
  readonly opened: Opened;
  readonly progress: Progress;
  readonly outcome: Outcome;
  readonly tally: SessionTally;
}

/** Releases the session without closing it. No outcome is recorded, since there is none yet. */
async function suspend(deps: FlowDependencies, ended: EndedFlow): Promise<FlowResult> {
  const { flow, progress, outcome } = ended;
  const { budget } = progress;
  const settled = budget ? await deps.budgeter.suspend(budget) : ok(undefined);
  const released = await flow.session.release();
  const unrecorded = firstError(settled, released);
  return resultOf(ended, unrecorded ? { ...outcome, status: "failure", error: unrecorded } : outcome);
}

/** Another process has taken over the session: its outcome, budget and order are that process's to record. */
export function yielded(ended: EndedFlow): FlowResult {
  return resultOf(ended, ended.outcome);
}

function resultOf({ flow, opened, progress, tally }: EndedFlow, outcome: Outcome): FlowResult {
  const { session_id } = flow.session;
  return returnResult(
    { work_order_id: flow.order.work_order_id, agent_id: progress.context?.agent_id ?? null, session_id },
    outcome,
    {
      ledger_entry_ids: tally.ledgerEntryIds,
      refused_acts: tally.refusedActs.list,
      did: effectsOf(tally),
      values_off: tally.valuesOff,
      children: opened.children,
    },
  );
}

/** Logs the outcome, releases the budget, closes the session and returns the result, also after a failure. */
async function stepsEightAndNine(deps: FlowDependencies, ended: EndedFlow): Promise<FlowResult> {
  const { flow, opened, progress, outcome, tally } = ended;
  const { session } = opened;
  const { context, budget } = progress;
  const { order, request } = flow;
  const logged = context
    ? await logOutcome(deps, session, context, outcome)
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
  if (!logged.ok && logged.error.code === "LEASE_LOST")
    return yielded({ ...ended, outcome: { ...outcome, status: "failure", error: logged.error } });
  const released = budget ? await deps.budgeter.release(budget, { recorder: session }) : ok(undefined);
  const { over_budget } = outcome.cost;
  const notices = [
    ...(over_budget ? [overBudget(over_budget)] : []),
    ...(tally.valuesOff === undefined ? [] : [valuesOffText(tally.valuesOff)]),
  ];
  const reason = outcome.error ? `${outcome.error.code}: ${outcome.error.message}` : undefined;
  const closed = await session.close({
    ok: outcome.status === "success",
    status: outcome.status,
    ...(reason === undefined ? {} : { reason }),
    ...(tally.refusedActs.count > 0 ? { refused_acts: tally.refusedActs.count } : {}),
    ...(notices.length > 0 ? { notices } : {}),
  });
  if (!closed.ok && closed.error.code === "LEASE_LOST")
    return yielded({ ...ended, outcome: { ...outcome, status: "failure", error: closed.error } });
  if (!closed.ok) await flow.session.release(); // releases the writer lock, so that another process can resume the order
  const unrecorded = firstError(logged, released, closed);
  const final = unrecorded ? { ...outcome, status: "failure" as const, error: unrecorded } : outcome;
  return resultOf(ended, final);
}

function firstError(...results: readonly Result<unknown>[]): DomainError | null {
  for (const result of results) if (!result.ok) return result.error;
  return null;
}

function errorEntry(error: DomainError | null) {
  return { code: error?.code ?? "INTERNAL", message: error?.message ?? "unknown" };
}
