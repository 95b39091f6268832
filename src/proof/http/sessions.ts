import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  arrayOf,
  type Call,
  integer,
  is,
  json,
  listedSession,
  listOf,
  notHere,
  objectOf,
  orNull,
  pageSize,
  plainGet,
  type Reply,
  type Route,
  sessionEnds,
  text,
} from "#core/routes";
import { type Clock, err, isoTime, isSessionId, ok, type Result, type Semaphore, type SessionId } from "#core/values";
import type { EventPages } from "#log";
import { conditionOf, type Event, type LogReader, recordedPrompt, replay, type Snapshot } from "#log";
import { loadVerifyingKey } from "../anchors/succession.ts";
import { diffSessions } from "../diff/align-steps.ts";
import { sessionSteps } from "../diff/session-steps.ts";
import type { ShownWrites } from "../pending-writes.ts";
import { type Verification } from "../verify/verify-session.ts";
import { bundleOf } from "./bundle-of.ts";
import { type ListParts, listQuery, listSessions } from "./list-sessions.ts";

const session = objectOf({
  info: sessionEnds,
  snapshot: { $ref: "session_snapshot_v1" },
  start: { type: "object", description: "What `session.start` says, without the law that it pins." },
  asked: orNull(is.text),
  caller_id: orNull(is.text),
  waiting: arrayOf({ $ref: "approval_v1" }),
  pending_writes: orNull(
    objectOf({
      state: { enum: ["gathering", "quarantine"] },
      writes: arrayOf(
        objectOf({
          path: is.text,
          change: { enum: ["create", "change", "delete", "folder", "mode"] },
          sha256: orNull(is.hash),
          difference: orNull(is.text),
        }),
      ),
    }),
  ),
});
const step = objectOf(
  { kind: { enum: ["call", "tool", "gate"] }, name: is.text, label: is.text, result: is.text, seq: is.count },
  { tokens: is.count, usd: is.number },
);
const cost = objectOf({ tokens: is.count, usd: is.number });
const difference = objectOf({
  a: is.text,
  b: is.text,
  same: is.flag,
  steps: arrayOf(
    objectOf({ state: { enum: ["same", "changed", "only_a", "only_b"] }, a: orNull(step), b: orNull(step) }),
  ),
  output: objectOf({ same: is.flag, a: orNull(is.text), b: orNull(is.text) }),
  status: objectOf({ a: orNull(is.text), b: orNull(is.text) }),
  cost: objectOf({ a: cost, b: cost }),
});
const verification = objectOf({
  ok: is.flag,
  session_id: is.text,
  closed: is.flag,
  events: is.count,
  head_hash: is.hash,
  violations: arrayOf(objectOf({ kind: is.text, at: { type: ["integer", "null"] }, where: is.text, message: is.text })),
  notes: arrayOf(objectOf({ kind: is.text, message: is.text })),
});

/** Open questions to a person, as a session shows them. */
export interface OpenQuestions {
  list(wanted: {
    readonly state: "open";
    readonly limit: number;
    readonly session_id: string;
  }): Promise<Result<readonly object[]>>;
}

export interface SessionRouteParts extends Omit<ListParts, "log"> {
  readonly pages: Pick<EventPages, "page">;
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly inbox: OpenQuestions;
  /** What the session's order has written and not landed. */
  readonly pendingWrites: (session_id: SessionId) => Promise<ShownWrites | undefined>;
  readonly verifySession: (session_id: SessionId) => Promise<Verification>;
  /** Limits the requests that hold a whole session in memory. */
  readonly wholeSessions: Semaphore;
  /** The workspace, absolute. */
  readonly root: string;
  /** The file of the workspace's public key. */
  readonly publicKeyFile: string;
  /** The longest page of a session that is sent. */
  readonly bundleBytes: number;
  readonly version: string;
  readonly clock: Clock;
}

/** Runs a read that holds a whole session in memory; not at all when the client disconnects while it waits. */
async function inTurn(
  { wholeSessions }: Pick<SessionRouteParts, "wholeSessions">,
  { signal }: Call,
  read: () => Promise<Result<Reply>>,
): Promise<Result<Reply>> {
  const entered = await wholeSessions.enter(signal);
  if (!entered.ok) return entered;
  try {
    return await read();
  } finally {
    wholeSessions.leave();
  }
}

/** Recorded sessions, their events and their verification. */
export const sessionRoutes: readonly Route<SessionRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/sessions",
    tag: "sessions",
    summary: "Sessions, the newest first",
    right: "read",
    query: listQuery,
    headers: {},
    answer: {
      status: 200,
      description: "A page.",
      schema: listOf("sessions", listedSession, {
        total: is.count,
        damaged: is.count,
        unread: { ...is.count, description: "Sessions of which only the ends are known yet: they are being read." },
      }),
    },
    otherAnswers: [],
    async handle(parts, { query }) {
      const page = await listSessions(parts, query);
      return page.ok ? ok(json(page.value)) : page;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id",
    tag: "sessions",
    summary: "A session as its events tell it",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: "The session.",
      schema: session,
    },
    otherAnswers: [],
    async handle({ log, schemas, pages, inbox, pendingWrites }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const snapshot = await replay(id.value, { reader: log, schemas, verify: false });
      if (!snapshot.ok) return snapshot;
      const first = await pages.page(id.value, { after: 0, limit: 32, type: undefined });
      if (!first.ok) return first;
      const start = first.value.events.find((event) => event.type === "session.start");
      const waiting = await inbox.list({ state: "open", limit: 20, session_id: id.value });
      if (!waiting.ok) return waiting;
      const { pinned: _pinned, ...opening } = start?.payload ?? {};
      return ok(
        json({
          info: infoOf(snapshot.value),
          snapshot: snapshot.value,
          start: opening,
          asked: recordedPrompt(first.value.events),
          caller_id: start?.payload.caller_id ?? null,
          waiting: waiting.value,
          pending_writes: (await pendingWrites(id.value)) ?? null,
        }),
      );
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/events",
    tag: "sessions",
    summary: "The events of a session, in order",
    right: "read",
    query: {
      limit: pageSize,
      after: { type: "integer", description: "Only events after this one.", default: 0 },
      type: { type: "string", description: "Only types that begin like this, such as `tool`." },
      find: {
        type: "string",
        description:
          'Only events for which this expression (CEL) is true, such as `gate.decision == "deny"`. A page ends after a second of evaluating it, however few it found; `next` goes on.',
        maxLength: 4096,
      },
      words: {
        type: "string",
        description:
          "Only events in which all these words occur, in any case; what stands in quotes is found as it stands.",
      },
      among: {
        type: "string",
        description:
          "An expression as in `find`: only events for which it is true are looked through. A view has its own condition so, beside what its reader types.",
        maxLength: 4096,
      },
      unproven: {
        type: "boolean",
        description: "What the lines say, for a reader that proves them itself; what is broken is given too.",
      },
    },
    headers: {},
    answer: {
      status: 200,
      description: "A page.",
      schema: listOf("events", { $ref: "event_v1" }, { session_id: is.text, closed: is.flag }),
    },
    otherAnswers: [],
    async handle({ pages }, call) {
      const { params, query } = call;
      const id = sessionOf(params);
      if (!id.ok) return id;
      const wanted = {
        after: integer(query, "after", 0),
        limit: integer(query, "limit", 100),
        type: text(query, "type"),
        unproven: query["unproven"] === true,
      };
      const isWanted = conditionOf(query);
      if (!isWanted.ok) return isWanted;
      const only = isWanted.value ? { only: { isWanted: isWanted.value, signal: call.signal } } : {};
      const found = await pages.page(id.value, { ...wanted, ...only });
      return found.ok ? ok(json({ session_id: id.value, ...found.value })) : found;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/diff",
    tag: "sessions",
    summary: "Holds two sessions against each other: calls, tools, gates, output, cost",
    right: "read",
    query: { with: { type: "string", description: "The other session.", required: true } },
    headers: {},
    answer: { status: 200, description: "The differences.", schema: difference },
    otherAnswers: [],
    async handle(parts, call) {
      const { params, query } = call;
      const a = sessionOf(params);
      if (!a.ok) return a;
      const b = sessionOf({ session_id: text(query, "with") ?? "" });
      if (!b.ok) return b;
      return inTurn(parts, call, async () => {
        const left = await readAll(a.value, parts.log);
        if (!left.ok) return left;
        const right = await readAll(b.value, parts.log);
        if (!right.ok) return right;
        return ok(
          json({ a: a.value, b: b.value, ...diffSessions(sessionSteps(left.value), sessionSteps(right.value)) }),
        );
      });
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/bundle",
    tag: "sessions",
    summary: "The session as one page that proves itself in any browser, offline",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "The page, to be kept as a file.", mediaType: "text/html" },
    otherAnswers: [],
    async handle(parts, call) {
      const id = sessionOf(call.params);
      if (!id.ok) return id;
      const key = loadVerifyingKey(parts.publicKeyFile);
      return inTurn(parts, call, async () => {
        const sources = {
          reader: parts.log,
          root: parts.root,
          key: key.ok ? key.value : undefined,
          version: parts.version,
          now: isoTime(parts.clock.now()),
        };
        const page = await bundleOf(id.value, sources, parts.bundleBytes);
        if (!page.ok) return page;
        const headers = {
          "content-type": "text/html; charset=utf-8",
          "content-disposition": `attachment; filename="${id.value}.html"`,
        };
        return ok({ kind: "bytes", body: page.value, headers });
      });
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/verify",
    tag: "sessions",
    summary: "Proves the session from its bytes up",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "The verdict.", schema: verification },
    otherAnswers: [],
    async handle({ log, verifySession }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const found = await log.locate(id.value);
      return found.ok ? ok(json(await verifySession(id.value))) : found;
    },
  },
];

async function readAll(session_id: SessionId, log: Pick<LogReader, "readBatches">): Promise<Result<readonly Event[]>> {
  const events: Event[] = [];
  for await (const batch of log.readBatches(session_id, { verify: false })) {
    if (!batch.ok) return batch;
    events.push(...batch.value);
  }
  return ok(events);
}

export function sessionOf(params: Call["params"]): Result<SessionId> {
  const id = params["session_id"] ?? "";
  return isSessionId(id) ? ok(id) : err(notHere(`session ${JSON.stringify(id)}`));
}

function infoOf(snapshot: Snapshot): object {
  const { session_id, tier, started_at, last_at, closed, ok: isOk, status, head_hash, event_count } = snapshot;
  return { session_id, tier, started_at, last_at, closed, ok: isOk, status, head_hash, events: event_count };
}

export function badResumeId(text: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", `Last-Event-ID is the number of an event, found ${JSON.stringify(text)}`));
}
