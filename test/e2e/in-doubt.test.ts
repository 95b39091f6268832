// A call that was cut off may have happened: a person says so at the command line, and the session goes on with their word.

import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { book, leftInDoubt } from "../support/left-in-doubt.ts";
import { hostileServer } from "../support/mcp.ts";
import type { TestWorkspace } from "../support/runtime-workspace.ts";

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

const room = JSON.stringify({ content: [{ type: "text", text: "room 5" }] });

test.each([
  { where: "asked in the inbox", isAsked: true },
  { where: "asked nowhere", isAsked: false },
])("$where, a word that was said stands: the same again changes nothing, another is refused", async ({ isAsked }) => {
  await using server = hostileServer({ tools: [book] });
  const { session_id, call_id, ...left } = await leftInDoubt(server, {}, { isAsked });
  await using workspace = left.workspace;
  await workspace.runtime.close();
  const resolve = (...word: string[]) =>
    cli(workspace.root, "session", "resolve", session_id, call_id, ...word, "--json");
  const first = await resolve("--done", "--result", room);
  expect(first.status, first.errors).toBe(0);
  for (const other of [["--not-done"], ["--done", "--result", "{}"]]) {
    const refused = await resolve(...other);
    expect(refused.status).not.toBe(0);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "WRITE_CONFLICT", retryable: false } });
  }
  for (const same of [["--done"], ["--done", "--result", room]])
    expect(JSON.parse((await resolve(...same)).text)).toEqual(JSON.parse(first.text));
  await workspace.reopen();
  const said = (await workspace.events(session_id)).filter(({ type }) => type === "effect.resolved");
  expect(said).toMatchObject([{ payload: { outcome: "done", result: JSON.parse(room) } }]);
});

test("what was said in the inbox cannot be contradicted in the session; who says the same goes on with it", async () => {
  await using server = hostileServer({ tools: [book] });
  const { session_id, call_id, ...left } = await leftInDoubt(server);
  await using workspace = left.workspace;
  const [question] = await open(workspace, session_id);
  await workspace.runtime.close();
  const approve = ["inbox", "approve", question?.approval_id ?? "", "--choice", "done", "--result", room];
  expect((await cli(workspace.root, ...approve)).status).toBe(0);
  const resolve = (...word: string[]) =>
    cli(workspace.root, "session", "resolve", session_id, call_id, ...word, "--json");
  expect(JSON.parse((await resolve("--not-done")).text)).toMatchObject({ error: { code: "WRITE_CONFLICT" } });
  expect((await resolve("--done")).status).toBe(0);
  await workspace.reopen();
  const said = (await workspace.events(session_id)).filter(({ type }) => type === "effect.resolved");
  expect(said).toMatchObject([{ payload: { outcome: "done", result: JSON.parse(room) } }]);
});

async function open(workspace: TestWorkspace, session_id: string) {
  const found = await workspace.runtime.inbox.list({ session_id, state: "open", limit: 10 });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}
