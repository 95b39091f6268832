import { ok, type Result, type SessionId } from "#base";
import { askedIn, type Event, type SessionInfo, type Snapshot } from "#events";
import { arrayOf, fragment, is, objectOf, orNull, sessionInfo } from "../answer-shapes.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import type { BudgetPoint, Fragment, Idle } from "../stream/session-index.ts";
import { sessionOf } from "./sessions.ts";

/** So many events come with the first answer: more than a screen holds. */
const firstEvents = 120;
/** So many are read before the first answer; of a longer session the outline is asked for while the page is already read. */
const quicklyRead = 2_000;
/** Of the tool calls a page shows the first; their number says how many there are. */
const shownCalls = 50;

interface Outline {
  readonly snapshot: Snapshot;
  readonly tool_calls: number;
  /** The numbers of denials and failures. */
  readonly trouble: readonly number[];
  readonly idle: readonly Idle[];
  /** Gates that stopped something; the normal end of a loop is none. */
  readonly denied: number;
  readonly budget: readonly BudgetPoint[];
  readonly fragments: readonly Fragment[];
}

const outlineShape = objectOf({
  snapshot: { $ref: "session_snapshot_v1" },
  tool_calls: is.count,
  trouble: { ...arrayOf(is.count), description: "The numbers of denials and failures." },
  idle: arrayOf(objectOf({ seq: is.count, ms: is.number })),
  denied: is.count,
  budget: arrayOf(objectOf({ seq: is.count, ts: is.time, left: is.number })),
  fragments: { ...arrayOf(fragment), description: "What agents were given to read, each with the `seq` of its event." },
});
const openingShape = objectOf(
  {
    asked: orNull(is.text),
    caller_id: orNull(is.text),
    waiting: arrayOf({ $ref: "approval_v1" }),
    first: arrayOf({ $ref: "event_v1" }),
    outline: orNull(outlineShape),
  },
  { info: sessionInfo },
);

/** What a page needs of a session, however long it is: one answer for the first paint, and what it adds up to. */
export function sessionOpeningRoutes(services: Services): readonly Route[] {
  const { pages, runtime } = services;
  return [
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/opening",
      tag: "sessions",
      summary:
        "The first screen of a session in one answer: its ends, its law, its first events; the outline if it is short",
      right: "read",
      answer: {
        status: 200,
        description: "The opening; `outline` is null where it has to be asked for.",
        schema: openingShape,
      },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const first = await pages.page(id.value, {
          after: 0,
          limit: firstEvents,
          type: undefined,
          unproven: true,
        });
        if (!first.ok) return first;
        const listed = await listedInfo(id.value, services);
        if (!listed.ok) return listed;
        const isShort = listed.value === undefined || listed.value.events <= quicklyRead;
        const outline = isShort ? await outlineOf(id.value, services) : ok(null);
        if (!outline.ok) return outline;
        const waiting = await runtime.inbox.list({ state: "open", limit: 20, session_id: id.value });
        if (!waiting.ok) return waiting;
        const start = first.value.events.find((event) => event.type === "session.start");
        return ok(
          json({
            info: outline.value ? infoOf(outline.value.snapshot, start) : listed.value,
            asked: askedIn(first.value.events),
            caller_id: start?.payload.caller_id ?? null,
            waiting: waiting.value,
            first: first.value.events,
            outline: outline.value,
          }),
        );
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/outline",
      tag: "sessions",
      summary: "What a session adds up to, where it was denied or failed, and where nothing happened",
      right: "read",
      answer: {
        status: 200,
        description: `The outline, with the first ${shownCalls} tool calls.`,
        schema: outlineShape,
      },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const outline = await outlineOf(id.value, services);
        return outline.ok ? ok(json(outline.value)) : outline;
      },
    },
  ];
}

/** From the list that everybody shares: it knows the ends of a session without reading it. Undefined where it is newer than the list. */
async function listedInfo(session_id: SessionId, { sessions }: Services): Promise<Result<SessionInfo | undefined>> {
  const listed = await sessions.read();
  return listed.ok ? ok(listed.value.sessions.find((info) => info.session_id === session_id)) : listed;
}

async function outlineOf(session_id: SessionId, { indexes }: Services): Promise<Result<Outline>> {
  const index = await indexes.of(session_id);
  if (!index.ok) return index;
  const snapshot = await index.value.snapshot();
  if (!snapshot.ok) return snapshot;
  const { tools_invoked } = snapshot.value;
  const { trouble, idle, denied, budget, fragments } = index.value;
  return ok({
    snapshot: { ...snapshot.value, tools_invoked: tools_invoked.slice(0, shownCalls) },
    tool_calls: tools_invoked.length,
    trouble,
    idle,
    denied,
    budget,
    fragments,
  });
}

/** The list may be half a second old: a short session is described by what was just read of it. */
function infoOf(snapshot: Snapshot, start: Event<"session.start"> | undefined): object {
  const { session_id, tier, started_at, last_at, closed, ok: isOk, status, head_hash, event_count } = snapshot;
  return {
    session_id,
    tier,
    started_at,
    last_at,
    closed,
    ok: isOk,
    status,
    head_hash,
    events: event_count,
    work_order_id: start?.payload.work_order_id ?? null,
    parent_session_id: start?.payload.parent_session_id ?? null,
  };
}
