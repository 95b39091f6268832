import type { WorkOrder } from "#core/contracts";
import type { DomainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { landingOf } from "#governance/mandate";
import type { Event, SessionLog } from "#log";
import { haltedError } from "../halts/halts.ts";
import type { FlowDependencies, FlowOptions, FlowState } from "./flow.ts";
import { decideRecovery, recoveryDecided } from "./recovery.ts";

/** An order in its session, and what it recorded before it stopped, if it did. */
export interface WritingOrder {
  readonly order: WorkOrder;
  readonly session: SessionLog;
  readonly options: FlowOptions;
  readonly before?: { readonly events: readonly Event[] };
}

/** The order's writes gather from here on; those from before a stop, or of a fork's past, are there again. */
export function beginWrites(
  { landing }: FlowDependencies,
  { order, session, options, before }: WritingOrder,
): Result<void> {
  const { parent, fork, hookOf = parent?.session_id } = options;
  return landing.begin({
    session_id: session.session_id,
    landing: landingOf(order).value,
    written: hasLanded(before?.events) ? [] : waitingTurns(before?.events ?? []),
    ...(hookOf === undefined ? {} : { parent: hookOf }),
    ...(fork ? { forkedFrom: { session_id: fork.session_id, written: fork.written } } : {}),
  });
}

/** Turns, and landings of orders below, whose writes wait in the layer of their order. */
export function waitingTurns(events: readonly Event[]): readonly string[] {
  return events.flatMap(({ type, payload }) => {
    if (type === "turn.committed" && payload.landing === "whole") return [payload.turn_id];
    return type === "delegation.ended" && payload.did?.landing_id !== undefined ? [payload.did.landing_id] : [];
  });
}

export function hasLanded(events: readonly Event[] | undefined): boolean {
  return events?.some(({ type }) => type === "order.landed") ?? false;
}

/** What the order wrote lands whole, unless it was halted meanwhile or has landed before a stop. */
export async function landWrites(
  deps: FlowDependencies,
  flow: WritingOrder,
  recorder: SessionLog,
): Promise<Result<void>> {
  if (hasLanded(flow.before?.events)) return ok(undefined);
  if (deps.landing.waiting(recorder.session_id) > 0)
    for (const session_id of [...(flow.options.parent?.ancestors ?? []), recorder.session_id]) {
      const halt = await deps.halts.standing(session_id);
      if (!halt.ok) return halt;
      if (halt.value) return err(haltedError(halt.value));
    }
  return deps.landing.land({ recorder, work_order_id: flow.order.work_order_id });
}

/**
 * What an order wrote that did not land: it waits in quarantine for a person, unless recovery is on and drops it. The answer
 * is its id in quarantine.
 */
export async function setWritesAside(
  { config, landing }: FlowDependencies,
  { session: recorder, recovery }: Pick<FlowState, "session" | "recovery">,
  work_order_id: string,
  error: DomainError,
): Promise<Result<string | undefined>> {
  const order = { recorder, work_order_id };
  if (!config.v2_features.recovery_enabled || error.code === "HALTED") return landing.setAside(order, error);
  const { retries, partial } = recovery;
  const partialResults = partial.length + landing.waiting(recorder.session_id);
  const failure = { error: { ...error, retryable: false }, partialResults, attempt: retries + 1 };
  const decision = decideRecovery(true, config.recovery, failure);
  const decided = recorder.stage(
    recoveryDecided(decision, { ...failure, ...(decision === "quarantine" ? { partial } : {}) }),
  );
  if (!decided.ok) return decided;
  if (decision === "quarantine") return landing.setAside(order, error);
  const dropped = await landing.drop(order, error);
  return dropped.ok ? ok(undefined) : dropped;
}
