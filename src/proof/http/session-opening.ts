import {
  answers,
  arrayOf,
  fragment,
  is,
  json,
  objectOf,
  orNull,
  plainGet,
  type Route,
  sessionInfo,
  standing,
} from "#core/routes";
import { ok, type Result, type SessionId } from "#core/values";
import type { BudgetPoint, EventPages, Fragment, Idle, LogReader, SessionIndexes, SessionList } from "#log";
import { type Event, recordedPrompt, type SessionInfo, type Snapshot } from "#log";
import type { Answers } from "#log/answers";
import { type SessionState, type Standing, stateOf } from "#log/answers";
import { type OpenQuestions, sessionOf } from "./sessions.ts";

/** Events in the first answer: more than a screen holds. */
const firstEvents = 120;
/** Events that are read before the first answer; a client asks for the outline of a longer session separately. */
const quicklyRead = 2_000;
/** Tool calls in the outline; `tool_calls` has the number of all. */
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
  /** Who allowed it, what did it see, what did it write, what did it cost. */
  readonly answers: Answers;
  readonly state: SessionState;
  readonly halted: Standing["halted"];
}

const outlineShape = objectOf({
  snapshot: { $ref: "session_snapshot_v1" },
  tool_calls: is.count,
  trouble: { ...arrayOf(is.count), description: "The numbers of denials and failures." },
  idle: arrayOf(objectOf({ seq: is.count, ms: is.number })),
  denied: is.count,
  budget: arrayOf(objectOf({ seq: is.count, ts: is.time, left: is.number })),
  fragments: { ...arrayOf(fragment), description: "What agents were given to read, each with the `seq` of its event." },
  answers,
  ...standing,
});
const openingShape = objectOf(
  {
    asked: orNull(is.text),
    caller_id: orNull(is.text),
    waiting: arrayOf({ $ref: "approval_v1" }),
    first: arrayOf({ $ref: "event_v1" }),
    outline: orNull(outlineShape),
    ...standing,
  },
  { info: sessionInfo },
);

export interface SessionOpeningRouteParts {
  readonly pages: Pick<EventPages, "page">;
  readonly sessions: Pick<SessionList, "read">;
  readonly indexes: Pick<SessionIndexes, "of">;
  readonly inbox: OpenQuestions;
  readonly log: Pick<LogReader, "atWork">;
}

/** A session for a page that shows it: one answer for the first paint, and the outline of the whole. */
export const sessionOpeningRoutes: readonly Route<SessionOpeningRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/opening",
    tag: "sessions",
    summary:
      "The first screen of a session in one answer: its ends, its law, its first events; the outline if it is short",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: "The opening; `outline` is null where it has to be asked for.",
      schema: openingShape,
    },
    otherAnswers: [],
    async handle({ pages, sessions, indexes, inbox, log }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const first = await pages.page(id.value, {
        after: 0,
        limit: firstEvents,
        type: undefined,
        unproven: true,
      });
      if (!first.ok) return first;
      const listed = await listedInfo(id.value, sessions);
      if (!listed.ok) return listed;
      const isShort = listed.value === undefined || listed.value.events <= quicklyRead;
      const waiting = await inbox.list({ state: "open", limit: 20, session_id: id.value });
      if (!waiting.ok) return waiting;
      const atWork = await log.atWork([id.value]);
      if (!atWork.ok) return atWork;
      const now = { atWork: atWork.value.has(id.value), asked: waiting.value.length > 0 };
      const outline = isShort ? await outlineOf(id.value, indexes, now) : ok(null);
      if (!outline.ok) return outline;
      const start = first.value.events.find((event) => event.type === "session.start");
      // Of a long session the outline says later what its events add to this.
      const state = outline.value?.state ?? (listed.value ? stateOf(listed.value, nothingSaid, now) : "interrupted");
      return ok(
        json({
          state,
          halted: outline.value?.halted ?? null,
          info: outline.value ? infoOf(outline.value.snapshot, start, listed.value) : listed.value,
          asked: recordedPrompt(first.value.events),
          caller_id: start?.payload.caller_id ?? null,
          waiting: waiting.value,
          first: first.value.events,
          outline: outline.value,
        }),
      );
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/outline",
    tag: "sessions",
    summary: "What a session adds up to, where it was denied or failed, and where nothing happened",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: `The outline, with the first ${shownCalls} tool calls.`,
      schema: outlineShape,
    },
    otherAnswers: [],
    async handle({ indexes, inbox, log }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const waiting = await inbox.list({ state: "open", limit: 1, session_id: id.value });
      if (!waiting.ok) return waiting;
      const atWork = await log.atWork([id.value]);
      if (!atWork.ok) return atWork;
      const now = { atWork: atWork.value.has(id.value), asked: waiting.value.length > 0 };
      const outline = await outlineOf(id.value, indexes, now);
      return outline.ok ? ok(json(outline.value)) : outline;
    },
  },
];

/** The entry of the shared list, which knows a session's ends without reading it; undefined for a session newer than the list. */
async function listedInfo(
  session_id: SessionId,
  sessions: Pick<SessionList, "read">,
): Promise<Result<SessionInfo | undefined>> {
  const listed = await sessions.read();
  return listed.ok ? ok(listed.value.sessions.find((info) => info.session_id === session_id)) : listed;
}

const nothingSaid: Standing = { halted: null, quarantined: 0, review: null };

async function outlineOf(
  session_id: SessionId,
  indexes: Pick<SessionIndexes, "of">,
  now: Parameters<typeof stateOf>[2],
): Promise<Result<Outline>> {
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
    answers: index.value.answers(),
    state: stateOf(snapshot.value, index.value.standing(), now),
    halted: index.value.standing().halted,
  });
}

/** The list may be half a second old, so a short session is described by the snapshot that was just read. */
function infoOf(
  snapshot: Snapshot,
  start: Event<"session.start"> | undefined,
  listed: SessionInfo | undefined,
): object {
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
    ...(listed?.refused_acts === undefined ? {} : { refused_acts: listed.refused_acts }),
  };
}
