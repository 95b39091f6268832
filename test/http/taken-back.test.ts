// A key that was taken back ends what it opened, also what was opened before.
import { afterAll, beforeAll, expect, test } from "vitest";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { writeGreeting } from "../support/greeting-session.ts";
import { type TestServer, testServer } from "../support/server.ts";

const clock = manualClock();
let api: TestServer;
const keys = new Map<string, { readonly key: string; readonly key_id: string }>();
beforeAll(async () => {
  api = await testServer({
    keysOnly: true,
    serverClock: clock,
    config: { identity: { callers: { "vera@corp": { roles: ["viewer"] } } } },
  });
  for (const name of ["lost", "kept", "agent"]) {
    const made = await api.workspace.runtime.keys.create(admin(), { caller_id: "vera@corp" });
    if (!made.ok) throw new Error(made.error.message);
    keys.set(name, made.value);
  }
});
afterAll(() => api[Symbol.asyncDispose]());

function admin() {
  const local = api.workspace.runtime.localCaller();
  if (!local.ok) throw new Error(local.error.message);
  return local.value;
}
const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)?.key}` });
const takeBack = (name: string) => api.workspace.runtime.keys.revoke(admin(), keys.get(name)?.key_id ?? "", "lost");

/** A stream, read on demand. */
async function opened(name: string) {
  const leave = new AbortController();
  const response = await fetch(`${api.server.url}/api/v1/stream`, { headers: as(name), signal: leave.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return { next: async () => (await reader?.read())?.value, leave: () => leave.abort() };
}

test("a stream ends with its key and says why; another of the same caller goes on", async () => {
  const lost = await opened("lost");
  const kept = await opened("kept");
  for (const stream of [lost, kept]) expect(await stream.next()).toContain("event: ready");
  clock.advance(15_000);
  for (const stream of [lost, kept]) expect(await stream.next()).toContain(": keep-alive");
  expect(await takeBack("lost")).toMatchObject({ ok: true });
  const told: string[] = [];
  for (let text: string | undefined = ""; text !== undefined && told.length < 20; text = await lost.next()) {
    told.push(text);
    clock.advance(15_000);
  }
  expect(told.at(-1)).toContain('event: error\ndata: {"code":"NOT_AUTHENTICATED"');
  clock.advance(15_000);
  expect(await kept.next()).toContain(": keep-alive");
  kept.leave();
});

test("what an agent waits for over MCP ends with its key too", async () => {
  const { session_id } = await writeGreeting(api.workspace.runtime.log, { leaveOpen: true });
  const params = { name: "watch_session", arguments: { session_id, after: 1000, wait_seconds: 50 } };
  const asked = api.post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    { ...as("agent"), accept: "application/json, text/event-stream" },
  );
  const cut = expect(asked).rejects.toThrow();
  await expect
    .poll(async () => (await api.get("/metrics", as("kept"))).text)
    .toMatch(/^writ_[a-z_]*streams[a-z_]* 1$/m);
  expect(await takeBack("agent")).toMatchObject({ ok: true });
  clock.advance(15_000);
  await cut;
});

test("nothing of all this broke the server", () => expect(api.problems).toEqual([]));
