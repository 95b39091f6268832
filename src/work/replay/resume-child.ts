import { foldBudget } from "#agents";
import { ok, type Result, type SessionId } from "#core/values";
import type { Event, EventLog } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies, HandedDown, ParentFlow, ResumeChild } from "../flow/flow.ts";
import { type Did, didOf, watchSession } from "../flow/watch-session.ts";
import { concludeSession } from "./conclude-session.ts";
import { readEvents } from "./read-events.ts";
import { type EndOfOrder, endOfOrder, resultOfRecord } from "./result-of-record.ts";

export interface ChildSources {
  readonly deps: FlowDependencies;
  readonly log: Pick<EventLog, "open" | "read" | "locate">;
  /** The parent's record. */
  readonly events: readonly Event[];
  /** Takes a stopped session up, as a child of the flow that handed its order down. */
  readonly resume: (
    child: { readonly session_id: SessionId; readonly events: readonly Event[] },
    options: { readonly parent: ParentFlow; readonly signal: AbortSignal },
  ) => Promise<Result<FlowResult>>;
}

/**
 * What became of the orders that a stopped flow handed down. One that ended is not run again: its own record has the result,
 * and what it spent stays gone from its parent. One that stopped midway goes on. One that never acted has yet to run.
 */
export function resumeChild(sources: ChildSources): ResumeChild {
  const { deps, log } = sources;
  return async (child, { parent, signal }) => {
    const ended = endedBefore(sources.events, child.work_order_id);
    if (ended && ended.child_session_id === null) return ok(withoutSession(child, ended));
    const session_id = (ended?.child_session_id ?? child.session_id) as SessionId;
    const place = await log.locate(session_id);
    if (!place.ok) return place.error.code === "NOT_FOUND" ? ok(child) : place;
    const events = await readEvents(log, session_id);
    if (!events.ok) return events;
    const ending = endOfOrder(events.value);
    const began = events.value.some(({ type }) => type === "wo.started");
    if (began && !ending) return sources.resume({ session_id, events: events.value }, { parent, signal });
    const concluded = await conclude(sources, session_id, events.value, ending);
    if (!concluded.ok) return concluded;
    if (!ending) return ok({}); // closed before it acted: it runs in a session of another name
    const spent = await spentBy(log, events.value, child.work_order_id);
    if (!spent.ok) return spent;
    parent.report(child.work_order_id, didOfRecord(events.value));
    const moved = deps.budgeter.spentByChild(parent.budget, spent.value);
    return moved.ok ? ok(resultOfRecord(session_id, events.value, ending)) : moved;
  };
}

/** What an order that has ended did, by its record. */
export function didOfRecord(events: readonly Event[]): Did {
  return didOf(watchSession({}, events).tally);
}

type Ended = Event<"delegation.ended">["payload"];

function endedBefore(events: readonly Event[], work_order_id: string): Ended | undefined {
  return events.find(
    (event): event is Event<"delegation.ended"> =>
      event.type === "delegation.ended" && event.payload.child_work_order_id === work_order_id,
  )?.payload;
}

/** Refused before it had a session: all that is known of it stands in its parent's record. */
function withoutSession({ work_order_id }: HandedDown, { status, error_code }: Ended): FlowResult {
  return {
    status: status as FlowResult["status"],
    work_order_id,
    agent_id: null,
    response: null,
    tokens_used: null,
    validation_result: null,
    ledger_entry_ids: [],
    error: `the order ended before it had a session (${error_code ?? status})`,
    error_code: error_code ?? null,
    duration_ms: 0,
    session_id: null,
    verdict: null,
    usd: 0,
  };
}

/** A session that stopped at its edges is closed; one that is closed stays so. */
async function conclude(
  { deps, log }: ChildSources,
  session_id: SessionId,
  events: readonly Event[],
  ending: EndOfOrder | undefined,
): Promise<Result<unknown>> {
  if (events.some(({ type }) => type === "session.close")) return ok(undefined);
  const session = await log.open(session_id);
  return session.ok ? concludeSession(deps, session.value, events, ending) : session;
}

/** What an order spent, with everything that it handed down in turn. A call in flight when it stopped counts in full. */
async function spentBy(
  log: ChildSources["log"],
  events: readonly Event[],
  work_order_id: string,
): Promise<Result<{ readonly tokens: number; readonly usd: number; readonly turns: number }>> {
  const own = foldBudget(events, work_order_id);
  let tokens = own ? own.spent.input_tokens + own.spent.output_tokens + own.reserved.tokens : 0;
  let usd = own ? own.spent.usd + own.reserved.usd : 0;
  let turns = own?.spent.turns ?? 0;
  for (const event of events) {
    if (event.type !== "delegation.made") continue;
    const { child_session_id, child_work_order_id } = event.payload;
    if (child_session_id === undefined || !(await log.locate(child_session_id as SessionId)).ok) continue;
    const below = await readEvents(log, child_session_id as SessionId);
    if (!below.ok) return below;
    const spent = await spentBy(log, below.value, child_work_order_id);
    if (!spent.ok) return spent;
    tokens += spent.value.tokens;
    usd += spent.value.usd;
    turns += spent.value.turns;
  }
  return ok({ tokens, usd, turns });
}
