// The typed client of the HTTP API, against a real server: requests, refusals, and streams whose connection breaks.

import { build } from "esbuild";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { createClient, type RequestAnswer, type StreamFrame } from "../../src/embed/client/client.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { repository } from "../support/writ.ts";

let api: TestServer;
let key: string;
beforeAll(async () => {
  api = await testServer({
    keysOnly: true,
    rules: [{ when: { role: "solo" }, respond: { text: "It is sunny." } }],
    config: { identity: { callers: { "omar@corp": { roles: ["operator"] }, "vera@corp": { roles: ["viewer"] } } } },
  });
  key = await keyOf("omar@corp");
});
afterAll(() => api[Symbol.asyncDispose]());

async function keyOf(caller_id: string): Promise<string> {
  const admin = { id: "root", roles: [], grants: ["*"], authenticatedBy: "local" } as const;
  const made = await api.workspace.runtime.keys.create(admin, { caller_id });
  if (!made.ok) throw new Error(made.error.message);
  return made.value.key;
}

const clientWith = (more: { readonly key?: string; readonly fetch?: typeof fetch } = {}) =>
  createClient({ url: api.server.url, key, ...more });

async function sendMessage(text: string): Promise<string> {
  const sent = await clientWith().request("POST /api/v1/threads", {
    body: { text },
    headers: { prefer: "wait=30" },
  });
  if (!sent.ok) throw new Error(sent.error.message);
  return (sent.value as { readonly session_id: string }).session_id;
}

test("requests are typed by their name, and answered as values", async () => {
  const client = clientWith();
  const who = await client.request("GET /api/v1/whoami");
  expect(who).toMatchObject({ ok: true, status: 200, value: { caller: "omar@corp" } });
  expectTypeOf<RequestAnswer<"GET /api/v1/whoami">["may"]>().toEqualTypeOf<readonly string[]>();
  const session_id = await sendMessage("weather in Oslo?");
  const page = await client.request("GET /api/v1/sessions/{session_id}/events", {
    params: { session_id },
    query: { limit: 2 },
  });
  expect(page).toMatchObject({ ok: true, value: { session_id, events: [{ seq: 1 }, { seq: 2 }] } });
  // @ts-expect-error: the path has a parameter
  await client.request("GET /api/v1/sessions/{session_id}");
  // @ts-expect-error: there is no such request
  await client.request("GET /api/v1/nothing");
});

test("a refusal is a value with the server's code; a server that is not there is one too", async () => {
  const missing = await clientWith().request("GET /api/v1/runs/{run_id}", { params: { run_id: "a/../b?c" } });
  expect(missing).toMatchObject({ ok: false, error: { code: "NOT_FOUND", status: 404, retryable: false } });
  const stranger = await clientWith({ key: "writ_none" }).request("GET /api/v1/whoami");
  expect(stranger).toMatchObject({ ok: false, error: { status: 401 } });
  const nowhere = await createClient({ url: "http://127.0.0.1:1" }).request("GET /healthz");
  expect(nowhere).toMatchObject({ ok: false, error: { code: "UNREACHABLE", status: 0, retryable: true } });
  const stopped = await clientWith().request("GET /healthz", { signal: AbortSignal.abort() });
  expect(stopped).toMatchObject({ ok: false, error: { code: "CANCELED" } });
});

test("a write has a key of its own, and the same key acts once", async () => {
  const idempotencyKey = "once-and-no-more";
  const start = () =>
    clientWith().request("POST /api/v1/runs", {
      body: { app_id: "writer", objective: "leases" },
      idempotencyKey,
    });
  const [first, second] = [await start(), await start()];
  if (!first.ok || !second.ok) throw new Error("refused");
  expect(second.value.run.run_id).toBe(first.value.run.run_id);
});

/** Cuts every connection after so many bytes. */
const cutting =
  (bytes: number, asked: string[]): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    asked.push(new Headers(init?.headers).get("last-event-id") ?? "");
    let left = bytes;
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.subarray(0, Math.max(0, left)));
          left -= chunk.length;
          if (left < 0) controller.error(new Error("the line is cut"));
        },
      }),
    );
    return new Response(body ?? null, { status: response.status, headers: response.headers });
  };

test("a stream whose connection breaks again and again misses nothing and tells nothing twice", async () => {
  const session_id = await sendMessage("weather in Bergen?");
  const asked: string[] = [];
  const client = clientWith({ fetch: cutting(6_000, asked) });
  const seen: StreamFrame<{ readonly seq: number }>[] = [];
  for await (const frame of client.stream("GET /api/v1/sessions/{session_id}/stream", { params: { session_id } }))
    seen.push(frame);
  const numbers = seen.map((frame) => (frame.ok ? frame.data.seq : frame.error.code));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(asked.length).toBeGreaterThan(2);
  expect(asked[0]).toBe("");
  expect(Number(asked.at(-1))).toBeGreaterThan(1);
  const later = [];
  for await (const frame of clientWith().stream("GET /api/v1/sessions/{session_id}/stream", {
    params: { session_id },
    after: numbers.length - 2,
  }))
    if (frame.ok) later.push(frame.data.seq);
  expect(later).toEqual(numbers.slice(-2));
});

test("a stream that is refused says why, and one that is stopped ends", async () => {
  const session_id = "SES-20260101-00000000000000000000";
  const frames = [];
  for await (const frame of clientWith().stream("GET /api/v1/sessions/{session_id}/stream", { params: { session_id } }))
    frames.push(frame);
  expect(frames).toMatchObject([{ ok: false, error: { code: "NOT_FOUND", status: 404 } }]);
  const stop = new AbortController();
  for await (const frame of clientWith().stream("GET /api/v1/stream", { signal: stop.signal })) {
    expect(frame).toMatchObject({ ok: true, event: "ready" });
    stop.abort();
  }
});

test("it is made for browsers: one small file that imports nothing", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${repository}src/embed/client/client.ts`],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    minify: true,
  });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(outputFiles[0]?.contents.length).toBeLessThan(6_000);
});
