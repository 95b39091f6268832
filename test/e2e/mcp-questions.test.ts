// An MCP server that asks a person before it goes on: the question waits in the inbox, and the call is made with the answer.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  acceptedContent,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { npmServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { testServer } from "../support/server.ts";

interface Desk extends AsyncDisposable {
  readonly url: string;
  readonly booked: string[];
  /** Requests that reached the tool, the rounds included. */
  readonly rounds: () => number;
}

/** A server of revision 2026-07-28 whose tool books a table, and has to know for how many. */
async function desk(): Promise<Desk> {
  const booked: string[] = [];
  let rounds = 0;
  const make = () => {
    const server = new McpServer({ name: "desk", version: "1" }, { capabilities: { tools: {} } });
    const guests = { type: "integer", minimum: 1, title: "Guests" } as const;
    const note = { type: "string", default: "none" } as const;
    const requestedSchema = { type: "object" as const, properties: { guests, note }, required: ["guests"] };
    server.registerTool(
      "book",
      {
        description: "Books a table",
        inputSchema: fromJsonSchema<{ day: string }>({ type: "object", properties: { day: { type: "string" } } }),
      },
      ({ day }, context) => {
        rounds += 1;
        const given = acceptedContent<{ guests: number; note: string }>(context.mcpReq.inputResponses, "guests");
        const declined = (context.mcpReq.inputResponses?.["guests"] as { action?: string } | undefined)?.action;
        if (declined === "decline") return { content: [{ type: "text", text: "no table" }] };
        if (!given)
          return inputRequired({
            inputRequests: { guests: inputRequired.elicit({ message: "For how many guests?", requestedSchema }) },
            requestState: "as it was",
          });
        booked.push(`${day}: ${given.guests} (${given.note}) ${String(context.mcpReq.requestState())}`);
        return { content: [{ type: "text", text: `booked for ${given.guests}` }] };
      },
    );
    return server;
  };
  const handle = toNodeHandler(createMcpHandler(make));
  const http = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    booked,
    rounds: () => rounds,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function approved(workspace: TestWorkspace): Promise<void> {
  const surveys = await workspace.runtime.approvals.survey(AbortSignal.timeout(30_000));
  for (const survey of surveys) {
    if (survey.error) throw new Error(survey.error.message);
    const done = await workspace.runtime.approvals.approve(survey.tools);
    if (!done.ok) throw new Error(done.error.message);
  }
  await workspace.reopen();
}

async function call(workspace: TestWorkspace, tool: string, args: object) {
  const order = await workspace.runtime.writeToolOrder(tool, args as never);
  if (!order.ok) throw new Error(order.error.message);
  const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
  return workspace.runtime.runFlow(request, { fresh: true });
}

async function decideWith(workspace: TestWorkspace, choice: string, more: object) {
  const { inbox, decisions } = workspace.runtime;
  const open = await inbox.list({ state: "open", limit: 5 });
  const by = workspace.runtime.localCaller();
  const [asked] = open.ok ? open.value : [];
  if (!asked || !by.ok) throw new Error("a person was not asked");
  return decisions.decide(by.value, asked.approval_id, {
    choice,
    subject_hash: asked.subject_hash,
    reason: "",
    ...more,
  });
}

async function decide(workspace: TestWorkspace, choice: string, more: object = {}) {
  const { inbox, decisions, localCaller } = workspace.runtime;
  const open = await inbox.list({ state: "open", limit: 5 });
  const by = localCaller.call(workspace.runtime);
  const [asked] = open.ok ? open.value : [];
  if (!asked || !by.ok) throw new Error("a person was not asked");
  const input = { choice, subject_hash: asked.subject_hash, reason: "", ...more };
  expect(await decisions.decide(by.value, asked.approval_id, input)).toMatchObject({ ok: true });
  return asked;
}

test("the question waits in the inbox; the call is made once, with the answer, the defaults and the server's own state", async () => {
  await using server = await desk();
  await using workspace = await testWorkspace({ config: { mcp: { servers: { desk: { url: server.url } } } } });
  await approved(workspace);
  const waiting = await call(workspace, "desk.book", { day: "Friday" });
  expect(waiting).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  expect(server.booked).toEqual([]);
  const asked = await decide(workspace, "answer", { result: { guests: 4 } });
  expect(asked).toMatchObject({
    kind: "server_question",
    title: "The MCP server desk has a question",
    reason: "For how many guests? (desk.book; fields: guests, note)",
    subject: { server: "desk", message: "For how many guests?", wanted: { form: { required: ["guests"] } } },
  });
  await workspace.reopen();
  const done = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(done).toMatchObject({
    ok: true,
    value: { status: "success", response: expect.stringContaining("booked for 4") },
  });
  expect(server.booked).toEqual(["Friday: 4 (none) as it was"]);
  const events = await workspace.events(waiting.session_id);
  const ends = events.filter(({ type }) => type === "tool.result").map(({ payload }) => payload);
  expect(ends).toMatchObject([
    { status: "canceled", nothing_done: true },
    { status: "ok", attempt: 2 },
  ]);
  const keys = events
    .filter(({ type }) => type === "tool.invoke")
    .map(({ payload }) => (payload as { idempotency_key: string }).idempotency_key);
  expect(new Set(keys).size).toBe(1);
  expect(await workspace.runtime.verifySession(waiting.session_id as never)).toMatchObject({ ok: true });
});

test("who declines, declines to the server; an answer that does not fit its form is refused, and never reaches it", async () => {
  await using server = await desk();
  await using workspace = await testWorkspace({ config: { mcp: { servers: { desk: { url: server.url } } } } });
  await approved(workspace);
  const first = await call(workspace, "desk.book", { day: "Friday" });
  await decide(workspace, "decline");
  expect(await workspace.runtime.resumeSession(first.session_id as never)).toMatchObject({
    value: { status: "success", response: expect.stringContaining("no table") },
  });
  await call(workspace, "desk.book", { day: "Monday" });
  const rounds = server.rounds();
  const refused = await decideWith(workspace, "answer", { result: { guests: "many" } });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: "MALFORMED_INPUT", message: "the answer does not fit its form: guests is a whole number" },
  });
  expect(server.rounds()).toBe(rounds);
  expect(server.booked).toEqual([]);
});

test("server-everything asks in the way of an earlier revision: the call is stopped, and made again with the answer", async () => {
  const everything = { command: process.execPath, args: [npmServer("everything")], rights: { tier: "T1" } };
  await using workspace = await testWorkspace({ config: { mcp: { servers: { everything } } } });
  await approved(workspace);
  const asking = await call(workspace, "everything.trigger-elicitation-request", {});
  expect(asking).toMatchObject({ status: "waiting" });
  await decide(workspace, "answer", { result: { name: "Ada", check: true } });
  // It had begun, and does not say how far it was: what a second call would do twice is a person's to say.
  const doubt = await workspace.runtime.resumeSession(asking.session_id as never);
  expect(doubt).toMatchObject({ value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" } });
  await decide(workspace, "not_done");
  const done = await workspace.runtime.resumeSession(asking.session_id as never);
  expect(JSON.stringify(done)).toContain("Ada");
});

test("a task of another Writ is waited for, and its result is the call's", async () => {
  await using other = await testServer();
  const servers = { other: { url: `${other.server.url}/mcp` } };
  await using workspace = await testWorkspace({ config: { mcp: { servers } } });
  await approved(workspace);
  const done = await call(workspace, "other.submit_request", { prompt: "greet Ada" });
  expect(done).toMatchObject({ status: "success" });
  expect(done.response).toContain('\\"status\\":\\"success\\"');
  const began = await other.get("/api/v1/sessions");
  expect(done.response).toContain((began.json.sessions as { session_id: string }[])[0]?.session_id);
});

/** A workspace with these hooks in its settings file of Claude Code, and a server that asks. */
async function guarded(server: Desk, hooks: Readonly<Record<string, string>>): Promise<TestWorkspace> {
  const groups = Object.entries(hooks).map(([event, command]) => [
    event,
    [{ matcher: "^des", hooks: [{ type: "command", command }] }],
  ]);
  const workspace = await testWorkspace({
    config: { hooks: { read_claude_settings: true }, mcp: { servers: { desk: { url: server.url } } } },
    files: { ".claude/settings.json": JSON.stringify({ hooks: Object.fromEntries(groups) }) },
  });
  await approved(workspace);
  return workspace;
}

const says = (event: string, answer: object) =>
  `cat >/dev/null; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...answer } })}'`;

test("a hook of Elicitation answers or declines in the person's place, and what it answers fits the form", async () => {
  await using server = await desk();
  await using answering = await guarded(server, {
    Elicitation: says("Elicitation", { action: "accept", content: { guests: 2, note: "by the rule" } }),
  });
  const done = await call(answering, "desk.book", { day: "Friday" });
  expect(done).toMatchObject({ status: "success", response: expect.stringContaining("booked for 2") });
  expect(server.booked).toEqual(["Friday: 2 (by the rule) as it was"]);
  const fired = (await answering.events(done.session_id)).filter(({ type }) => type === "hook.fired");
  expect(fired.map(({ payload }) => payload)).toContainEqual(
    expect.objectContaining({ point: "Elicitation", subject: "desk", decision: "transform" }),
  );
  expect(await answering.runtime.verifySession(done.session_id as never)).toMatchObject({ ok: true });

  const asksFor = `grep -q '"hook_event_name":"Elicitation".*"message":"For how many guests?"\\|"message":"For how many guests?".*"mcp_server_name":"desk".*"hook_event_name":"Elicitation"'`;
  await using declining = await guarded(server, { Elicitation: `${asksFor} && exit 2; exit 0` });
  expect(await call(declining, "desk.book", { day: "Monday" })).toMatchObject({
    status: "success",
    response: expect.stringContaining("no table"),
  });
  await using misfit = await guarded(server, {
    Elicitation: says("Elicitation", { action: "accept", content: { guests: "many" } }),
  });
  expect(JSON.stringify(await call(misfit, "desk.book", { day: "Tuesday" }))).toContain("does not fit what was asked");
  await using broken = await guarded(server, { Elicitation: "exit 1" });
  expect(await call(broken, "desk.book", { day: "Sunday" })).toMatchObject({
    response: expect.stringContaining("no table"),
  });
  expect(server.booked).toHaveLength(1);
});

test("a hook of ElicitationResult sees what a person answered, and what it refuses does not reach the server", async () => {
  await using server = await desk();
  await using workspace = await guarded(server, {
    ElicitationResult: `grep -q '"action":"accept".*"content":{[^}]*"guests":4' && exit 2; exit 0`,
  });
  for (const [guests, response] of [
    [4, "no table"],
    [3, "booked for 3"],
  ] as const) {
    const asking = await call(workspace, "desk.book", { day: "Friday" });
    expect(asking).toMatchObject({ status: "waiting" });
    await decide(workspace, "answer", { result: { guests } });
    expect(await workspace.runtime.resumeSession(asking.session_id as never)).toMatchObject({
      value: { status: "success", response: expect.stringContaining(response) },
    });
  }
  await using changing = await guarded(server, {
    ElicitationResult: says("ElicitationResult", { action: "accept", content: { guests: 1 } }),
  });
  const asking = await call(changing, "desk.book", { day: "Sunday" });
  await decide(changing, "answer", { result: { guests: 4 } });
  expect(await changing.runtime.resumeSession(asking.session_id as never)).toMatchObject({
    value: { status: "success", response: expect.stringContaining("booked for 1") },
  });
});
