import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Caller, err, ok, type Result, type SessionId } from "#core/values";
import { labelDrift } from "#governance/values";
import { type Event, type EventLog, type SessionLog, startOf } from "#log";
import { startDeadline } from "../flow/deadline.ts";
import type { FlowResult } from "../flow/execution-context.ts";
import type { CallBelow, FlowDependencies, FlowOptions, FlowRequest } from "../flow/flow.ts";
import { runInSession } from "../flow/flow-session.ts";
import { isStopped } from "../flow/is-stopped.ts";
import { hasLanded } from "../flow/order-writes.ts";
import { createFlowRunner } from "../flow/run-flow.ts";
import { haltedError } from "../halts/halts.ts";
import { callsBelow } from "./calls-below.ts";
import { concludeSession, keepOutcome } from "./conclude-session.ts";
import { OwnHistory } from "./own-history.ts";
import { recordedIds, recordedOrderIds } from "./recorded-ids.ts";
import { endOfOrder } from "./result-of-record.ts";
import { resumeChild } from "./resume-child.ts";
import type { StoppedSession } from "./stopped-session.ts";
import { timeAtWork } from "./time-at-work.ts";
import { wasContinued } from "./was-continued.ts";

export interface ResumeOptions
  extends Pick<
    FlowOptions,
    "signal" | "interrupt" | "onEvent" | "onText" | "onPart" | "onProgress" | "caller" | "parent"
  > {
  /** Who takes it up. */
  readonly by: string;
}

export interface ResumeDependencies extends FlowDependencies {
  readonly log: Pick<EventLog, "create" | "open" | "read" | "locate">;
}

/**
 * Takes a stopped session up: the flow runs again from its start, over the record. What the record holds is given back and
 * not done again; where it ends, the flow goes on. So there is one way through a flow, and no second one for recovery.
 */
export async function resumeFlow(
  deps: ResumeDependencies,
  stopped: StoppedSession,
  options: ResumeOptions,
): Promise<Result<FlowResult>> {
  const refused = await refusal(deps, stopped, options.parent);
  if (!refused.ok) return refused;
  const started = stopped.events.find((event) => event.type === "wo.started");
  const outcome = endOfOrder(stopped.events);
  const request = started && requestOf(started);
  if (!outcome) {
    const labelled = await checkLabels(deps, stopped);
    if (!labelled.ok) return labelled;
  }
  const caller = request && !options.parent ? deps.authenticate(request, options.caller) : ok(undefined);
  if (!caller.ok) return caller;
  const recovered = await deps.landing.recover();
  if (!recovered.ok) return recovered;
  const opened = await deps.log.open(stopped.session_id);
  if (!opened.ok) return opened;
  const session = opened.value;
  const moved = await wasContinued(deps.log, session, stopped);
  if (!moved.ok || moved.value) {
    const released = await session.release();
    if (!released.ok) return released;
    return moved.ok ? err(continuedElsewhere(stopped.session_id)) : moved;
  }
  const resumed = await session.append({
    type: "session.resumed",
    actor: "flow",
    payload: { from_seq: stopped.events.at(-1)?.seq ?? 0, by: options.by, in_doubt: openCalls(stopped.events) },
  });
  if (!resumed.ok) return resumed;
  options.onEvent?.(resumed.value);
  if (!request || outcome) return concludeSession(deps, session, stopped.events, outcome);
  const below = await callsBelow(deps.log, stopped.events);
  if (!below.ok) return below;
  const reopened = { session, events: stopped.events, callsBelow: below.value, request, caller: caller.value };
  return ok(await goOn(deps, reopened, options));
}

function requestOf({ payload }: Event<"wo.started">): FlowRequest {
  const { work_order, caller_id, dev_mode } = payload;
  return { work_order, caller_id, ...(dev_mode ? { dev_mode: true } : {}) };
}

/** A session that is open again, and the request that it was made for. */
interface Reopened {
  readonly session: SessionLog;
  readonly events: StoppedSession["events"];
  readonly callsBelow: readonly CallBelow[];
  readonly request: FlowRequest;
  readonly caller: Caller | undefined;
}

async function goOn(
  deps: ResumeDependencies,
  { session, events, callsBelow: below, request, caller }: Reopened,
  options: ResumeOptions,
): Promise<FlowResult> {
  const order = request.work_order as unknown as WorkOrder;
  const past = new OwnHistory(events, deps.eventKinds);
  const spent = hasLanded(events) ? 0 : timeAtWork(events);
  const deadline = startDeadline(deps.clock, deps.config.execution_timeout_seconds, options.signal, spent);
  try {
    const result = await runInSession(
      {
        ...deps,
        ids: recordedIds(deps.ids, events),
        nextOrderId: recordedOrderIds(deps.nextOrderId, events),
      },
      {
        request,
        caller,
        order,
        session,
        options,
        deadline,
        started: deps.clock.monotonic(),
        before: { events, past, callsBelow: below },
        run: createFlowRunner(deps).run,
        resumeChild: resumeChild({
          deps,
          log: deps.log,
          events,
          resume: (child, below) => resumeFlow(deps, child, { by: options.by, ...below }),
        }),
      },
    );
    // What had begun before and was not reached again has no end yet: the session stays open, to be resumed once more.
    if (isStopped(result) || !past.isCaughtUp) return result;
    const kept = await deps.orders.finish(order.work_order_id, result);
    return kept.ok ? result : { ...result, status: "failure", error: kept.error.message, error_code: kept.error.code };
  } finally {
    deadline.clear();
  }
}

/** The result of an order whose session has ended, also where its process died before it could say so. */
export function resultOfClosed(
  deps: Pick<FlowDependencies, "orders">,
  { session_id, events }: StoppedSession,
): Promise<Result<FlowResult>> {
  return keepOutcome(deps, session_id, events, endOfOrder(events));
}

async function refusal(
  deps: FlowDependencies,
  { session_id, events }: StoppedSession,
  parent: FlowOptions["parent"],
): Promise<Result<void>> {
  const halted = await deps.halts.standing(session_id);
  if (!halted.ok) return halted;
  if (halted.value) return err(haltedError(halted.value));
  if (events.some(({ type }) => type === "session.close"))
    return err(
      domainError("SESSION_CLOSED", `${session_id} has ended; there is nothing left to resume`, {
        details: { hint: "`writ session fork` goes on from any of its events in a session of its own" },
      }),
    );
  const { parent_kind, parent_session_id } = startOf(events);
  if (parent_kind === "child" && !parent)
    return err(
      domainError(
        "GATE_DENIED",
        `${session_id} acts for ${parent_session_id}, with the money that it was given there: it goes on when that one does`,
        { details: { hint: `writ session resume ${parent_session_id}` } },
      ),
    );
  return ok(undefined);
}

/** Under labels that its events do not give, what a session would be allowed next rests on nothing. */
async function checkLabels(
  { readSession }: Pick<FlowDependencies, "readSession">,
  { session_id, events }: StoppedSession,
): Promise<Result<void>> {
  const drift = await labelDrift(events, readSession);
  if (drift === undefined) return ok(undefined);
  return err(
    domainError("VALUE_LABEL_DRIFT", `${session_id} does not go on: ${drift}`, {
      details: { hint: `writ session verify ${session_id}` },
    }),
  );
}

function continuedElsewhere(session_id: SessionId): DomainError {
  return domainError("SESSION_BUSY", `${session_id} went on in another process while it was being taken up here`, {
    details: { session_id, hint: `writ session resume ${session_id} takes up what is left, if anything is` },
  });
}

/** Calls that were begun and have no `tool.output`: no model has seen their content. */
function openCalls(events: readonly Event[]): string[] {
  const open = new Set<string>();
  for (const { type, payload } of events) {
    if (type === "tool.invoke") open.add(payload.call_id);
    if (type === "tool.output") open.delete(payload.call_id);
  }
  return [...open];
}
