// Writ as an MCP server, used by clients of both generations, on stdio and over HTTP.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { repository } from "../support/writ.ts";

let api: TestServer;
let key: string;
beforeAll(async () => {
  built();
  api = await testServer({
    keysOnly: true,
    config: { identity: { callers: { "omar@corp": { roles: ["operator"] } } } },
  });
  const admin = api.workspace.runtime.localCaller();
  const made = admin.ok ? await api.workspace.runtime.keys.create(admin.value, { caller_id: "omar@corp" }) : admin;
  if (!made.ok) throw new Error(made.error.message);
  ({ key } = made.value as { key: string });
});
afterAll(() => api[Symbol.asyncDispose]());

const launch = () => ({
  command: process.execPath,
  args: [`${repository}bin/writ.js`, "mcp", "--root", api.workspace.root],
  env: { ...bareEnvironment() },
});
const url = () => new URL(`${api.server.url}/mcp`);
const headers = () => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });
const me = { name: "test", version: "1" };
const clients = {
  "the old client on stdio": async () => {
    const client = new OldClient(me);
    await client.connect(new OldStdio(launch()));
    return client;
  },
  "the new client on stdio": async () => {
    const client = new NewClient(me, { versionNegotiation: { mode: "auto" } });
    await client.connect(new NewStdio(launch()));
    return client;
  },
  "the old client over HTTP": async () => {
    const client = new OldClient(me);
    await client.connect(new OldHttp(url(), headers()));
    return client;
  },
  "the new client over HTTP": async () => {
    const client = new NewClient(me, { versionNegotiation: { mode: "auto" } });
    await client.connect(new NewHttp(url(), headers()));
    return client;
  },
};
type Structured = { structuredContent?: Record<string, unknown>; isError?: boolean };

test.for(Object.entries(clients))(
  "%s submits, watches, verifies, and is told what it may not",
  async ([name, connect]) => {
    const client = (await connect()) as OldClient;
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["submit_request", "watch_session", "read_document", "decide_approval"]),
    );
    const call = async (tool: string, args: object) =>
      (await client.callTool({ name: tool, arguments: { ...args } })) as Structured;
    const done = await call("submit_request", { prompt: "greet Ada", wait_seconds: 30 });
    expect(done.structuredContent).toMatchObject({ status: "success" });
    const session_id = done.structuredContent?.["session_id"];
    const watched = await call("watch_session", { session_id, limit: 3 });
    expect(watched.structuredContent).toMatchObject({ closed: false, status: "success", next: 3 });
    expect((await call("verify_session", { session_id })).structuredContent).toMatchObject({ ok: true });
    expect((await call("list_approvals", {})).structuredContent).toEqual({ approvals: [] });
    expect(await call("read_document", { sha256: "0".repeat(64) })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "NOT_FOUND" } },
    });
    const decided = await call("decide_approval", {
      approval_id: "APR-x",
      choice: "approve",
      subject_hash: "0".repeat(64),
    });
    const code = name.includes("HTTP") ? "NOT_AUTHORIZED" : "NOT_FOUND"; // an operator may not decide, the local user may
    expect(decided).toMatchObject({ isError: true, structuredContent: { error: { code } } });
    await client.close();
  },
);

test("the inspector's command line does all that it can, on stdio and over HTTP", async () => {
  const inspect = async (...words: readonly string[]) => {
    // It looks for its own package.json from where it is started.
    const cwd = `${repository}node_modules/@modelcontextprotocol/inspector-cli/build`;
    const { stdout } = await promisify(execFile)(process.execPath, ["cli.js", "--cli", ...words], {
      cwd,
      env: { ...bareEnvironment(), HOME: api.workspace.root },
    });
    return JSON.parse(stdout.slice(stdout.indexOf("{"))) as Record<string, unknown>;
  };
  const { command, args } = launch();
  const remote = [url().href, "--transport", "http", "--header", `Authorization: Bearer ${key}`, "--method"];
  const [listed, called, resources, prompt, page, templates, prompts, level] = await Promise.all([
    inspect(command, ...args, "--method", "tools/list"),
    inspect(...remote, "tools/call", "--tool-name", "submit_request", "--tool-arg", "prompt=greet Ada"),
    inspect(command, ...args, "--method", "resources/list"),
    inspect(
      command,
      ...args,
      "--method",
      "prompts/get",
      "--prompt-name",
      "skill/greet",
      "--prompt-args",
      "request=greet Ada",
    ),
    inspect(...remote, "resources/read", "--uri", "writ://skills/greet"),
    inspect(...remote, "resources/templates/list"),
    inspect(...remote, "prompts/list"),
    inspect(...remote, "logging/setLevel", "--log-level", "info"),
  ]);
  expect(JSON.stringify(page["contents"])).toContain("greet");
  expect(JSON.stringify(templates["resourceTemplates"])).toContain("writ://sessions/{session_id}");
  expect((prompts["prompts"] as { name: string }[]).map(({ name }) => name)).toContain("skill/greet");
  expect(level).toEqual({});
  expect((resources["resources"] as { uri: string }[]).map(({ uri }) => uri)).toContain("writ://skills/greet");
  expect(JSON.stringify(prompt["messages"])).toContain("submit_request");
  expect((listed["tools"] as { name: string }[]).map(({ name }) => name)).toContain("submit_work_order");
  expect(called).toMatchObject({ structuredContent: { status: "success" } });
});

test("on stdio a client that listens is told of a session that begins", async () => {
  const client = await clients["the new client on stdio"]();
  const changed = new Promise((resolve) =>
    client.setNotificationHandler("notifications/resources/list_changed", resolve),
  );
  await client.listen({ resourcesListChanged: true });
  // The list is compared once a second, so a session that begins before the first look is no change.
  let isTold = false;
  const told = changed.then(() => (isTold = true));
  while (!isTold)
    await client.callTool({ name: "submit_request", arguments: { prompt: "greet Ada", wait_seconds: 30 } });
  await told;
  await client.close();
});

test("without a key nothing of it can be reached over HTTP", async () => {
  const refused = await fetch(url(), { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  expect(refused.status).toBe(401);
});
