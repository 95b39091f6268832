// Whoever may only read can have an expression of theirs evaluated over a whole session: it may not cost the others anything.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isSessionId, ok, type SessionId } from "#core/values";
import { EventPages, SessionIndexes } from "#log";
import { eventKinds } from "../../src/main/tables/events.ts";
import { draggingClock } from "../support/dragging-clock.ts";
import { type TestServer, testServer } from "../support/server.ts";

const clock = draggingClock();
let api: TestServer;
let session: SessionId;
let all: readonly { readonly seq: number; readonly type: string }[];
beforeAll(async () => {
  api = await testServer({ serverClock: clock });
  const { json } = await api.post("/api/v1/requests", { prompt: "Say hello to Ada" }, { prefer: "wait=20" });
  if (!isSessionId(json.session_id)) throw new Error(`no session: ${JSON.stringify(json)}`);
  session = json.session_id;
  all = (await api.get(`/api/v1/sessions/${session}/events?limit=1000`)).json.events;
  expect(all.length).toBeGreaterThan(9);
});
afterAll(() => api[Symbol.asyncDispose]());

test("a page ends when its expression has been evaluated for long enough, and its next goes on to the end", async () => {
  clock.drag(400); // so three events are a second's work
  const path = `/api/v1/sessions/${session}/events?find=${encodeURIComponent("seq % 2 == 0")}`;
  const pages: (typeof all)[] = [];
  const nexts: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { status, json }: Awaited<ReturnType<TestServer["get"]>> = await api.get(`${path}&after=${after}`);
    expect(status).toBe(200);
    pages.push(json.events);
    after = json.next;
    if (after !== null) nexts.push(after);
  }
  clock.drag(0);
  expect(nexts.slice(0, 3)).toEqual([3, 6, 9]);
  expect(pages.flat()).toEqual(all.filter(({ seq }) => seq % 2 === 0));
});

test("without an expression a page is as long as it was asked for, however slow the machine is", async () => {
  clock.drag(400);
  const { json } = await api.get(`/api/v1/sessions/${session}/events`);
  clock.drag(0);
  expect(json).toMatchObject({ events: all, next: null });
});

test("others have a turn between two slices, and nothing is evaluated for whoever has left", async () => {
  const { log, schemas } = api.workspace.runtime;
  const pages = new EventPages(log, new SessionIndexes({ reader: log, schemas, kinds: eventKinds }), clock);
  const left = new AbortController();
  let asked = 0;
  clock.drag(10); // every event is a slice of its own
  const page = pages.page(session, {
    after: 0,
    limit: 100,
    type: undefined,
    only: {
      signal: left.signal,
      isWanted() {
        asked += 1;
        if (asked === 2) setImmediate(() => left.abort());
        return ok(false);
      },
    },
  });
  expect(await page).toMatchObject({ ok: false, error: { code: "CANCELED" } });
  clock.drag(0);
  expect(asked).toBeLessThan(5);
});
