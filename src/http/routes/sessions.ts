import { join } from "node:path";
import { domainError, err, isoTime, isSessionId, ok, type Result, type SessionId, Turnstile } from "#base";
import {
  askedIn,
  diffSessions,
  type Event,
  loadVerifyingKey,
  replay,
  type SessionInfo,
  type Snapshot,
  sessionSteps,
} from "#events";
import { arrayOf, is, listedSession, listOf, objectOf, orNull, sessionEnds } from "../answer-shapes.ts";
import { bundleOf } from "../bundle-of.ts";
import { notHere } from "../problem.ts";
import { integer, pageSize, text } from "../read-query.ts";
import { type Call, json, type Reply, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import type { Filter } from "../stream/event-pages.ts";
import { findEvents } from "../stream/find-events.ts";
import { findWords } from "../stream/find-words.ts";
import type { ListedSessions } from "../stream/session-list.ts";

const session = objectOf({
  info: sessionEnds,
  snapshot: { $ref: "session_snapshot_v1" },
  start: { type: "object", description: "What `session.start` says, without the law that it pins." },
  asked: orNull(is.text),
  caller_id: orNull(is.text),
  waiting: arrayOf({ $ref: "approval_v1" }),
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

/** What is recorded: sessions, their events, their proof. */
export function sessionRoutes(services: Services): readonly Route[] {
  const { sessions, pages, cards, runtime } = services;
  const wholeSessions = new Turnstile(atOnce);
  /** Holds a whole session in memory, as few may at once; whoever leaves while they wait has none read. */
  const inTurn = async (call: Call, read: () => Promise<Result<Reply>>): Promise<Result<Reply>> => {
    const entered = await wholeSessions.enter(call.signal);
    if (!entered.ok) return entered;
    try {
      return await read();
    } finally {
      wholeSessions.leave();
    }
  };
  return [
    {
      method: "GET",
      path: "/api/v1/sessions",
      tag: "sessions",
      summary: "Sessions, the newest first",
      right: "read",
      query: {
        limit: pageSize,
        after: { type: "string", description: "The `next` of the page before." },
        state: { type: "string", description: "Only these.", enum: ["open", "closed", "failed"] },
        q: {
          type: "string",
          description: `Part of a session's or work order's id; or words of what was asked, among the newest ${searched}.`,
        },
        cycle: { type: "string", description: `Only those of this cycle, among the newest ${searched}.` },
      },
      answer: {
        status: 200,
        description: "A page.",
        schema: listOf("sessions", listedSession, { total: is.count, damaged: is.count }),
      },
      async handle({ query }) {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        const cycle = text(query, "cycle");
        const ofTheCycle =
          cycle === undefined ? listed.value.sessions : await ofCycle(cycle, listed.value.sessions, services);
        const part = text(query, "q");
        const wanted = part === undefined ? ofTheCycle : await matching(part, ofTheCycle, services);
        const found = page(wanted, listed.value, query);
        if (!found.ok) return found;
        const { sessions: shown, ...rest } = found.value;
        const waiting = await services.waiting();
        if (!waiting.ok) return waiting;
        const told = await Promise.all(
          shown.map(async (info) => ({
            ...info,
            asked: short((await cards.of(info)).asked),
            waiting: waiting.value.has(info.session_id),
          })),
        );
        return ok(json({ sessions: told, ...rest }));
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id",
      tag: "sessions",
      summary: "A session as its events tell it",
      right: "read",
      answer: {
        status: 200,
        description: "The session.",
        schema: session,
      },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const snapshot = await replay(id.value, { reader: runtime.log, schemas: runtime.schemas, verify: false });
        if (!snapshot.ok) return snapshot;
        const first = await pages.page(id.value, { after: 0, limit: 32, type: undefined });
        if (!first.ok) return first;
        const start = first.value.events.find((event) => event.type === "session.start");
        const waiting = await runtime.inbox.list({ state: "open", limit: 20, session_id: id.value });
        if (!waiting.ok) return waiting;
        const { pinned: _pinned, ...law } = start?.payload ?? {};
        return ok(
          json({
            info: infoOf(snapshot.value),
            snapshot: snapshot.value,
            start: law,
            asked: askedIn(first.value.events),
            caller_id: start?.payload.caller_id ?? null,
            waiting: waiting.value,
          }),
        );
      },
    },
    {
      method: "GET",
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
            "An expression as in `find`: only events for which it is true are looked through. A view has its own condition so, beside what somebody types.",
          maxLength: 4096,
        },
        unproven: {
          type: "boolean",
          description: "What the lines say, for whoever proves them himself; what is broken is given too.",
        },
      },
      answer: {
        status: 200,
        description: "A page.",
        schema: listOf("events", { $ref: "event_v1" }, { session_id: is.text, closed: is.flag }),
      },
      async handle(call) {
        const { params, query } = call;
        const id = sessionOf(params);
        if (!id.ok) return id;
        const wishes = {
          after: integer(query, "after", 0),
          limit: integer(query, "limit", 100),
          type: text(query, "type"),
          unproven: query["unproven"] === true,
        };
        const isWanted = wantedBy(query);
        if (!isWanted.ok) return isWanted;
        const only = isWanted.value ? { only: { isWanted: isWanted.value, signal: call.signal } } : {};
        const found = await pages.page(id.value, { ...wishes, ...only });
        return found.ok ? ok(json({ session_id: id.value, ...found.value })) : found;
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/diff",
      tag: "sessions",
      summary: "Holds two sessions against each other: calls, tools, gates, output, cost",
      right: "read",
      query: { with: { type: "string", description: "The other session.", required: true } },
      answer: { status: 200, description: "The differences.", schema: difference },
      async handle(call) {
        const { params, query } = call;
        const a = sessionOf(params);
        if (!a.ok) return a;
        const b = sessionOf({ session_id: text(query, "with") ?? "" });
        if (!b.ok) return b;
        return inTurn(call, async () => {
          const left = await readAll(a.value, services);
          if (!left.ok) return left;
          const right = await readAll(b.value, services);
          if (!right.ok) return right;
          return ok(
            json({ a: a.value, b: b.value, ...diffSessions(sessionSteps(left.value), sessionSteps(right.value)) }),
          );
        });
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/bundle",
      tag: "sessions",
      summary: "The session as one page that proves itself in any browser, offline",
      right: "read",
      answer: { status: 200, description: "The page, to be kept as a file.", mediaType: "text/html" },
      async handle(call) {
        const id = sessionOf(call.params);
        if (!id.ok) return id;
        const key = loadVerifyingKey(join(runtime.root, runtime.config.signing.public_key));
        return inTurn(call, async () => {
          const sources = {
            reader: runtime.log,
            root: runtime.root,
            key: key.ok ? key.value : undefined,
            version: services.version,
            now: isoTime(services.clock.now()),
          };
          const page = await bundleOf(id.value, sources, services.bundleBytes);
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
      method: "GET",
      path: "/api/v1/sessions/:session_id/verify",
      tag: "sessions",
      summary: "Proves the session from its bytes up",
      right: "read",
      answer: { status: 200, description: "The verdict.", schema: verification },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const found = await runtime.log.locate(id.value);
        return found.ok ? ok(json(await runtime.verifySession(id.value))) : found;
      },
    },
  ];
}

/** Sessions that are read whole at once, for a bundle or a comparison: the loop is one, so more would only take more memory. */
const atOnce = 2;

/** Which cycle a session went through stands inside it: so many are looked into. */
const searched = 1_000;

async function ofCycle(
  cycle_id: string,
  sessions: readonly SessionInfo[],
  { cards }: Services,
): Promise<readonly SessionInfo[]> {
  const newest = sessions.slice(0, searched);
  const told = await Promise.all(newest.map((info) => cards.of(info)));
  return newest.filter((_, index) => told[index]?.cycle_id === cycle_id);
}

/** By part of an id all of them; by the words that were asked the newest, because those stand in each session itself. */
async function matching(
  part: string,
  sessions: readonly SessionInfo[],
  { cards }: Services,
): Promise<readonly SessionInfo[]> {
  const words = part.toLowerCase();
  const asked = await Promise.all(sessions.slice(0, searched).map((info) => cards.of(info)));
  return sessions.filter(
    ({ session_id, work_order_id }, index) =>
      session_id.includes(part) ||
      work_order_id?.includes(part) === true ||
      asked[index]?.asked?.toLowerCase().includes(words) === true,
  );
}

/** Whether an event is wanted, by all that the query says about it; undefined where it says nothing. */
function wantedBy(query: Call["query"]): Result<Filter["isWanted"] | undefined> {
  const conditions: Filter["isWanted"][] = [];
  for (const name of ["among", "find"]) {
    const expression = text(query, name);
    if (expression === undefined) continue;
    const condition = findEvents(expression);
    if (!condition.ok) return condition;
    conditions.push(condition.value);
  }
  const words = text(query, "words");
  if (words !== undefined) {
    const hasThem = findWords(words);
    conditions.push((event) => ok(hasThem(event)));
  }
  if (conditions.length === 0) return ok(undefined);
  return ok((event) => {
    for (const condition of conditions) {
      const answer = condition(event);
      if (!answer.ok || !answer.value) return answer;
    }
    return ok(true);
  });
}

async function readAll(session_id: SessionId, { runtime }: Services): Promise<Result<readonly Event[]>> {
  const events: Event[] = [];
  for await (const batch of runtime.log.readBatches(session_id, { verify: false })) {
    if (!batch.ok) return batch;
    events.push(...batch.value);
  }
  return ok(events);
}

export function sessionOf(params: Call["params"]): Result<SessionId> {
  const id = params["session_id"] ?? "";
  return isSessionId(id) ? ok(id) : err(notHere(`session ${JSON.stringify(id)}`));
}

/** A page goes on behind its cursor, which may be among the wanted no longer: sessions close while somebody pages. */
function page(some: readonly SessionInfo[], { sessions: all, damaged }: ListedSessions, query: Call["query"]) {
  const state = text(query, "state");
  const after = text(query, "after");
  const cursor = after === undefined ? -1 : all.findIndex(({ session_id }) => session_id === after);
  if (after !== undefined && cursor < 0)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `"after" is the \`next\` of a page, and no session is called ${JSON.stringify(after)}`,
      ),
    );
  const passed = new Set(all.slice(0, cursor + 1));
  const wanted = some.filter(
    (info) => state === undefined || state === stateOf(info) || (state === "closed" && info.closed),
  );
  const limit = integer(query, "limit", 100);
  const rest = wanted.filter((info) => !passed.has(info));
  const sessions = rest.slice(0, limit);
  const next = limit < rest.length ? (sessions.at(-1)?.session_id ?? null) : null;
  return ok({ sessions, total: wanted.length, damaged: damaged.length, next });
}

function stateOf({ closed, ok: isOk }: SessionInfo): string {
  if (!closed) return "open";
  return isOk === false ? "failed" : "closed";
}

function infoOf(snapshot: Snapshot): object {
  const { session_id, tier, started_at, last_at, closed, ok: isOk, status, head_hash, event_count } = snapshot;
  return { session_id, tier, started_at, last_at, closed, ok: isOk, status, head_hash, events: event_count };
}

const shortAsked = 120;

function short(text: string | null): string | null {
  return text !== null && text.length > shortAsked ? `${text.slice(0, shortAsked)}…` : text;
}

export function badResumeId(text: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", `Last-Event-ID is the number of an event, found ${JSON.stringify(text)}`));
}
