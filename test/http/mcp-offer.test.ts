// What Writ's MCP server has beside tools: resources, prompts, completion, progress, questions and tasks, as clients of both
// generations use them.
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workOrder } from "../support/runtime-workspace.ts";
import { type TestServer, testServer } from "../support/server.ts";

const asks = { tool_calls: [{ name: "ask", args: { question: "Which port?", options: ["80", "8080"] } }] };
const rules = [
  { when: { prompt: "which port", call: 1 }, respond: asks },
  { when: { prompt: "which port", call: 2 }, respond: { text: "It is decided." } },
];
const asking = () =>
  workOrder({
    type: "answer",
    input: { prompt: "Find out which port" },
    tool_permissions: ["ask"],
    budget: { token_limit: 20_000, turn_limit: 6, timeout_seconds: 60 },
  });

let api: TestServer;
const keys: Record<string, string> = {};
beforeAll(async () => {
  api = await testServer({
    rules,
    config: {
      identity: {
        callers: {
          "ada@corp": { roles: ["operator"] },
          "bob@corp": { roles: ["approver"] },
          "sub@corp": { roles: ["submitter"] },
        },
        roles: { submitter: { grants: ["order.submit", "tool:*", "path:**", "tokens:*", "usd:*"] } },
      },
      profiles: { small: { model: "small" }, swift: { model: "swift" } },
    },
  });
  const admin = api.workspace.runtime.localCaller();
  for (const name of ["ada", "bob", "sub"]) {
    const wanted = { caller_id: `${name}@corp` };
    const made = admin.ok ? await api.workspace.runtime.keys.create(admin.value, wanted) : admin;
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = made.value.key;
  }
});
afterAll(() => api[Symbol.asyncDispose]());

const url = () => new URL(`${api.server.url}/mcp`);
const me = { name: "test", version: "1" };
const as = (name: string | undefined) =>
  name === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${keys[name]}` } } };

type Answer = (request: { readonly params: unknown }) => Promise<{ action: "accept" | "decline"; content?: never }>;
const declines: Answer = () => Promise.resolve({ action: "decline" });

async function newClient(who?: string, answer: Answer = declines) {
  const capabilities = { elicitation: { form: {} } };
  const client = new NewClient(me, { capabilities, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("elicitation/create", answer as never);
  await client.connect(new NewHttp(url(), as(who)));
  return client;
}

async function oldClient(who?: string, answer: Answer = declines) {
  const client = new OldClient(me, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, answer);
  await client.connect(new OldHttp(url(), as(who)));
  return client;
}

test("sessions, their ledgers and skills are resources; what is not there is an error of the protocol", async () => {
  const { session_id } = await api.workspace.ask("greet Ada");
  for (const client of [await newClient(), (await oldClient()) as unknown as NewClient]) {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([`writ://sessions/${session_id}`, "writ://skills/greet"]),
    );
    const read = async (uri: string) =>
      (await client.readResource({ uri })).contents[0] as { text: string; mimeType: string };
    expect(JSON.parse((await read(`writ://sessions/${session_id}`)).text)).toMatchObject({
      status: "success",
      ok: true,
    });
    const exec = await read(`writ://sessions/${session_id}/ledger/exec`);
    expect(exec.mimeType).toBe("application/x-ndjson");
    expect(exec.text).toContain("WO_EXEC_COMPLETE");
    const after = (await read(`writ://sessions/${session_id}/events?after=3`)).text.split("\n");
    expect(JSON.parse(after[0] ?? "")).toMatchObject({ seq: 4 });
    expect((await read("writ://skills/greet")).text).toContain("greet");
    for (const uri of ["writ://sessions/SES-20260101-none", "writ://nothing", "file:///etc/passwd"])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: expect.any(Number) });
    await expect(client.listResources({ cursor: "SES-none" })).rejects.toThrow("no page of resources");
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ name }) => name === "session")?.uriTemplate ?? "";
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: template },
      argument: { name: "session_id", value: String(session_id).slice(0, -4) },
    });
    expect(completion.values).toEqual([session_id]);
    await client.close();
  }
});

test("pages of resources end, and hold every session once", async () => {
  for (let made = 0; made < 3; made += 1) await api.workspace.ask("greet Ada");
  const client = await newClient();
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    seen.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBe(seen.length);
  await client.close();
});

test("skills and cycles are prompts that submit a request; their arguments are completed and required", async () => {
  for (const client of [await newClient(), (await oldClient()) as unknown as NewClient]) {
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === "skill/greet")?.arguments?.map(({ name }) => name)).toEqual([
      "request",
      "profile",
    ]);
    const { messages } = await client.getPrompt({ name: "skill/greet", arguments: { request: "greet Ada" } });
    expect(JSON.stringify(messages[0])).toContain("submit_request");
    expect(messages[1]?.content).toMatchObject({ type: "resource", resource: { uri: "writ://skills/greet" } });
    await expect(client.getPrompt({ name: "skill/greet", arguments: {} })).rejects.toThrow(
      'needs the argument "request"',
    );
    await expect(client.getPrompt({ name: "skill/none", arguments: {} })).rejects.toThrow("there is no prompt");
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "skill/greet" },
      argument: { name: "profile", value: "s" },
    });
    expect(completion.values.sort()).toEqual(["small", "swift"]);
    await client.close();
  }
});

test("who may not read is shown no session and no prompt, and reads none", async () => {
  const { session_id } = await api.workspace.ask("greet Ada");
  const client = await newClient("sub");
  expect((await client.listResources()).resources).toEqual([]);
  expect((await client.listPrompts()).prompts).toEqual([]);
  await expect(client.readResource({ uri: `writ://sessions/${session_id}` })).rejects.toThrow("may not do this");
  await expect(client.getPrompt({ name: "skill/greet", arguments: { request: "x" } })).rejects.toThrow(
    "may not do this",
  );
  await client.close();
});

const accepts: Answer = (request) => {
  expect(JSON.stringify(request.params)).toContain("Which port?");
  return Promise.resolve({ action: "accept", content: { choice: "answer", reason: "8080" } as never });
};

test.for([
  ["the new client", newClient],
  ["the old client", oldClient],
] as const)(
  "%s: its user answers what an agent asks, in the same call, and is told how far it is",
  async ([, connect]) => {
    const client = await connect(undefined, accepts);
    const told: string[] = [];
    const asked = { name: "submit_work_order", arguments: { work_order: asking(), wait_seconds: 30 } };
    const options = { onprogress: ({ message }: { message?: string | undefined }) => void told.push(message ?? "") };
    const done =
      client instanceof NewClient
        ? await client.callTool(asked, options)
        : await client.callTool(asked, undefined, options);
    expect(done.structuredContent).toMatchObject({ status: "success", output: "It is decided." });
    expect(told).toContain("calls ask");
    await client.close();
  },
);

test("the old client gets log messages of the level that it wants", async () => {
  const client = await oldClient();
  const told: string[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void told.push(params.level));
  await client.setLoggingLevel("notice");
  await client.callTool({ name: "submit_work_order", arguments: { work_order: asking(), wait_seconds: 30 } });
  expect(new Set(told)).toEqual(new Set(["notice"]));
  await client.close();
});

test("a user who declines decides nothing: the order goes on waiting", async () => {
  const client = await newClient();
  const done = await client.callTool({
    name: "submit_work_order",
    arguments: { work_order: asking(), wait_seconds: 30 },
  });
  expect(done.structuredContent).toMatchObject({ status: "waiting" });
  await client.close();
});

test("nobody is asked what they may not decide, and a decision without a choice is the user's", async () => {
  const author = await newClient("ada", () => Promise.reject(new Error("asked")));
  const waiting = await author.callTool({
    name: "submit_work_order",
    arguments: { work_order: asking(), wait_seconds: 30 },
  });
  expect(waiting.structuredContent).toMatchObject({ status: "waiting" });
  const { session_id } = waiting.structuredContent as { session_id: string };
  const listed = await author.callTool({ name: "list_approvals", arguments: {} });
  const { approvals } = listed.structuredContent as { approvals: { approval_id: string; session_id: string }[] };
  const approval_id = approvals.find((each) => each.session_id === session_id)?.approval_id;
  const other = await newClient("bob", accepts);
  const decided = await other.callTool({ name: "decide_approval", arguments: { approval_id } });
  expect(decided.structuredContent).toMatchObject({
    state: "approved",
    decided_by: "bob@corp",
    decision_reason: "8080",
  });
  const done = await author.callTool({
    name: "watch_session",
    arguments: { session_id, after: 10_000, wait_seconds: 20 },
  });
  expect(done.structuredContent).toMatchObject({ session_id });
  await Promise.all([author.close(), other.close()]);
});

test("a subscription tells of what a session records, in both generations", async () => {
  const client = await newClient();
  const old = await oldClient();
  const { session_id } = (
    await client.callTool({ name: "submit_work_order", arguments: { work_order: asking(), wait_seconds: 30 } })
  ).structuredContent as { session_id: string };
  const uri = `writ://sessions/${session_id}`;
  const updated = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve));
  const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const oldUpdated = new Promise((resolve) => old.setNotificationHandler(ResourceUpdatedNotificationSchema, resolve));
  await client.listen({ resourceSubscriptions: [uri] });
  await old.subscribeResource({ uri });
  const { approvals } = (await client.callTool({ name: "list_approvals", arguments: {} })).structuredContent as {
    approvals: { approval_id: string; session_id: string; subject_hash: string }[];
  };
  const question = approvals.find((each) => each.session_id === session_id);
  await client.callTool({
    name: "decide_approval",
    arguments: { approval_id: question?.approval_id, subject_hash: question?.subject_hash, choice: "decline" },
  });
  expect(await updated).toMatchObject({ params: { uri } });
  expect(await oldUpdated).toMatchObject({ params: { uri } });
  await Promise.all([client.close(), old.close()]);
});

test("a connection subscribes to so many resources and no more", async () => {
  const { session_id } = await api.workspace.ask("greet Ada");
  const client = await oldClient();
  const subscribe = (at: number) =>
    client.subscribeResource({ uri: `writ://sessions/${session_id}/events?after=${at}` });
  for (let at = 0; at < 64; at += 1) await subscribe(at);
  await expect(subscribe(64)).rejects.toThrow("64 resources at most");
  await client.unsubscribeResource({ uri: `writ://sessions/${session_id}/events?after=0` });
  await subscribe(64);
  await client.close();
});

test("a session of the protocol is its caller's alone", async () => {
  const begun = await fetch(url(), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${keys["ada"]}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: me },
    }),
  });
  await begun.text();
  const session = begun.headers.get("mcp-session-id") ?? "";
  expect(session).not.toBe("");
  const list = (who: string, id: string) =>
    fetch(url(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${keys[who]}`,
        "mcp-session-id": id,
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }),
    });
  const own = await list("ada", session);
  expect(own.status).toBe(200);
  await own.text();
  for (const [who, id] of [
    ["bob", session],
    ["ada", "made-up"],
  ] as const)
    expect((await list(who, id)).status).toBe(404);
});

test("a long order is a task: it is asked after, answered and cancelled; its id is the session's", async () => {
  let id = 0;
  const request = async (method: string, params: object, who?: string) => {
    id += 1;
    const named = params as { name?: string; taskId?: string };
    const answer = await fetch(url(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": named.taskId ?? named.name ?? "",
        ...(who === undefined ? {} : { authorization: `Bearer ${keys[who]}` }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": me,
            "io.modelcontextprotocol/clientCapabilities": {
              elicitation: { form: {} },
              extensions: { "io.modelcontextprotocol/tasks": {} },
            },
          },
        },
      }),
    });
    return ((await answer.json()) as { result: Record<string, unknown> }).result;
  };
  const until = async (taskId: unknown, status: string) => {
    for (;;) {
      const task = await request("tasks/get", { taskId });
      if (task["status"] === status || !["working", "input_required"].includes(String(task["status"]))) return task;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const begun = await request("tools/call", { name: "submit_work_order", arguments: { work_order: asking() } });
  expect(begun).toMatchObject({ resultType: "task", taskId: expect.stringMatching(/^SES-/) });
  const { taskId } = begun;
  const asked = await until(taskId, "input_required");
  const [approval_id = ""] = Object.keys(asked["inputRequests"] as object);
  expect(JSON.stringify(asked["inputRequests"])).toContain("Which port?");
  const content = { choice: "answer", reason: "80" };
  await request("tasks/update", { taskId, inputResponses: { [approval_id]: { action: "accept", content } } });
  expect(await until(taskId, "completed")).toMatchObject({
    status: "completed",
    result: { structuredContent: { session_id: taskId, status: "success", output: "It is decided." } },
  });
  const second = await request("tools/call", { name: "submit_work_order", arguments: { work_order: asking() } });
  await until(second["taskId"], "input_required");
  await request("tasks/cancel", { taskId: second["taskId"] });
  expect(await until(second["taskId"], "cancelled")).toMatchObject({ status: "cancelled" });
});
