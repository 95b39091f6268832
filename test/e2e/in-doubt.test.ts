// A call that was cut off may have happened: a person says so at the command line, and the session goes on with their word.

import { expect, test } from "vitest";
import type { SessionId } from "#base";
import type { Event } from "#events";
import { cli } from "../support/fresh-cli.ts";
import { hostileServer } from "../support/mcp.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

const book = { name: "book", description: "Books a room", inputSchema: { type: "object" } };

/** A workspace with a session whose call was cut off, and whose question waits in the inbox. */
async function leftInDoubt(server: ReturnType<typeof hostileServer>, config: object = {}) {
  const workspace = await testWorkspace({
    config: { ...config, mcp: { servers: { hotel: { command: process.execPath, args: [...server.args] } } } },
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "hotel.book", args: { room: 5 } }] } },
      { respond: { text: "booked" } },
    ],
  });
  expect((await cli(workspace.root, "tool", "approve", "hotel", "--yes")).status).toBe(0);
  await workspace.reopen();
  server.set({ tools: [book], mode: "hang" });
  const reached = async () => {
    while (server.calls().length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const stopped = await workspace.order(
    { tool_permissions: ["hotel.book"], budget: { token_limit: 20_000, turn_limit: 3, timeout_seconds: 60 } },
    {
      onEvent: ({ type, session_id }) => {
        if (type === "tool.invoke")
          void reached().then(() => workspace.runtime.halt(session_id as SessionId, "enough"));
      },
    },
  );
  expect(stopped).toMatchObject({ status: "canceled", error_code: "HALTED" });
  const session_id = stopped.session_id as SessionId;
  await workspace.runtime.liftHalt();
  const waiting = await workspace.runtime.resumeSession(session_id);
  expect(waiting).toMatchObject({ ok: true, value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" } });
  const invoke = (await workspace.events(session_id)).find((event) => event.type === "tool.invoke");
  const { call_id, idempotency_key } = (invoke as Event<"tool.invoke">).payload;
  return { workspace, session_id, call_id, idempotency_key };
}

test.each([
  { word: ["--done", "--result", '{"content":[{"type":"text","text":"room 5"}]}'], calls: 1, output: "room 5" },
  { word: ["--not-done"], calls: 2, output: "fine" },
])("resolved with $word.0, it was made $calls times in all", async ({ word, calls, output }) => {
  await using server = hostileServer({ tools: [book] });
  const { session_id, call_id, idempotency_key, ...left } = await leftInDoubt(server);
  await using workspace = left.workspace;

  server.set({ tools: [book] });
  await workspace.runtime.close();
  const shown = await cli(workspace.root, "session", "show", session_id);
  expect(shown.text).toContain(`writ session resume ${session_id.slice(13, 21)}`);
  const resolved = await cli(workspace.root, "session", "resolve", session_id, call_id, ...word);
  expect(resolved.status, resolved.errors).toBe(0);
  const resumed = await cli(workspace.root, "session", "resume", session_id, "--json");
  expect(JSON.parse(resumed.text)).toMatchObject({ status: "success", response: "booked" });
  await workspace.reopen();
  const questions = await workspace.runtime.inbox.list({ session_id, limit: 10 });
  expect(questions).toMatchObject({
    value: [{ kind: "in_doubt", choice: word[0] === "--done" ? "done" : "not_done" }],
  });
  const made = server.log().filter((line) => line.called === "book");
  expect(made).toHaveLength(calls);
  expect(new Set(made.map(({ meta }) => meta?.["writ/idempotency-key"]))).toEqual(new Set([idempotency_key]));
  const events = await workspace.events(session_id);
  expect(JSON.stringify(events.find(({ type }) => type === "tool.output")?.payload)).toContain(output);
  expect(events.find(({ type }) => type === "effect.resolved")?.payload).toMatchObject({ call_id });
  expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
});

test("who may not answer the inbox's question may not say it elsewhere, and nothing is recorded", async () => {
  await using server = hostileServer({ tools: [book] });
  const { session_id, call_id, ...left } = await leftInDoubt(server, {
    approvals: { expire_hours: 72, self_approval: "never" },
  });
  await using workspace = left.workspace;
  await workspace.runtime.close();
  const refused = await cli(workspace.root, "session", "resolve", session_id, call_id, "--done", "--json");
  expect(refused.status).not.toBe(0);
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "NOT_AUTHORIZED" } });
  await workspace.reopen();
  expect(await workspace.runtime.inbox.list({ session_id, state: "open", limit: 10 })).toMatchObject({
    value: [{ kind: "in_doubt" }],
  });
  expect((await workspace.events(session_id)).filter(({ type }) => type === "effect.resolved")).toEqual([]);
});
