// A call that has become a task of an MCP server: its id is recorded before it is waited for, so a session that stops and goes
// on asks after the same task, and calls nothing twice.
import { expect, test } from "vitest";
import { approveAll, callTool, decideOpen } from "../support/mcp-workspace.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { type TaskServer, taskServer } from "../support/task-server.ts";

const form = {
  type: "object",
  properties: { crust: { type: "string", enum: ["thin", "thick"] } },
  required: ["crust"],
};
const question = (message: string) => ({
  status: "input_required",
  inputRequests: { crust: { method: "elicitation/create", params: { message, requestedSchema: form } } },
});
const done = { status: "completed", result: { content: [{ type: "text", text: "a loaf" }] } };

async function withOven(oven: TaskServer, more: object = {}) {
  const workspace = await testWorkspace({ config: { mcp: { servers: { oven: { url: oven.url, ...more } } } } });
  await approveAll(workspace);
  return workspace;
}

test("a task that asks goes on at its server while the question waits; the answer reaches it, and nothing is called again", async () => {
  await using oven = await taskServer(() => question("Which crust?"));
  await using workspace = await withOven(oven);
  const waiting = await callTool(workspace, "oven.bake", { what: "bread" });
  expect(waiting).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  await decideOpen(workspace, "answer", { result: { crust: "thin" } });
  oven.say(() => (oven.given.length > 0 ? done : question("Which crust?")));
  await workspace.reopen();
  const resumed = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(resumed).toMatchObject({ value: { status: "success", response: expect.stringContaining("a loaf") } });
  expect(oven.asked).toEqual(["call bake", "update task-1"]);
  expect(oven.given).toEqual([{ crust: { action: "accept", content: { crust: "thin" } } }]);
  const events = await workspace.events(waiting.session_id);
  expect(
    events.flatMap(({ type, payload }) => (type.startsWith("tool.") ? [{ type, ...(payload as object) }] : [])),
  ).toMatchObject([
    { type: "tool.invoke", attempt: 1 },
    { type: "tool.deferred", attempt: 1, server: "oven", task_id: "task-1" },
    { type: "tool.result", attempt: 1, status: "canceled", task_goes_on: true },
    { type: "tool.invoke", attempt: 2, task_id: "task-1" },
    { type: "tool.result", attempt: 2, status: "ok" },
    { type: "tool.output" },
  ]);
  expect(await workspace.runtime.verifySession(waiting.session_id as never)).toMatchObject({ ok: true });
});

test("a task that its server no longer knows is in doubt: a person says what became of it", async () => {
  await using oven = await taskServer(() => question("Which crust?"));
  await using workspace = await withOven(oven);
  const waiting = await callTool(workspace, "oven.bake", { what: "bread" });
  await decideOpen(workspace, "answer", { result: { crust: "thin" } });
  oven.say(() => Promise.reject(new Error("no such task")));
  const doubt = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(doubt).toMatchObject({ value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" } });
  await decideOpen(workspace, "not_done");
  oven.say(() => done);
  const resumed = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(resumed).toMatchObject({ value: { status: "success" } });
  expect(oven.asked).toEqual(["call bake", "call bake"]);
  expect(await workspace.runtime.verifySession(waiting.session_id as never)).toMatchObject({ ok: true });
});

test("a call that is given up cancels its task, also while the server does not answer", async () => {
  await using oven = await taskServer(() => ({}));
  oven.say(() => new Promise(() => undefined));
  await using workspace = await withOven(oven, { timeout_seconds: 1 });
  const late = await callTool(workspace, "oven.bake", { what: "bread" });
  expect(JSON.stringify(late)).toContain("did not answer within");
  await expect.poll(() => oven.asked).toEqual(["call bake", "cancel task-1"]);
});

test.for([
  ["tells of another task than it was asked after", { ...done, taskId: "task-of-another" }, "another task"],
  ["has a task in a state that there is not", { status: "paused" }, "a state that there is not"],
  [
    "asks for what was not offered",
    { status: "input_required", inputRequests: { a: { method: "roots/list" } } },
    "not offered",
  ],
  [
    "asks a thousand questions at once",
    {
      status: "input_required",
      inputRequests: Object.fromEntries(
        Array.from({ length: 1000 }, (_, at) => [`q${at}`, question(`${at}?`).inputRequests.crust]),
      ),
    },
    "more than",
  ],
] as const)("a server that %s gives an error, and waits in no inbox", async ([, state, why]) => {
  await using oven = await taskServer(() => state);
  await using workspace = await withOven(oven);
  const refused = await callTool(workspace, "oven.bake", { what: "bread" });
  expect(refused.status).not.toBe("waiting");
  expect(JSON.stringify(refused)).toContain(why);
  expect(await workspace.runtime.inbox.list({ state: "open", limit: 5 })).toMatchObject({ ok: true, value: [] });
});
