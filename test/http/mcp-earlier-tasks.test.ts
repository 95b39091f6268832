// Tasks of revision 2025-11-25 of Writ's own MCP server, as the official SDK's client uses them.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { workOrder } from "../support/runtime-workspace.ts";
import { testServer } from "../support/server.ts";

const asks = { name: "ask", args: { question: "Which port?", options: ["80", "8080"] } };
const asking = workOrder({
  type: "answer",
  input: { prompt: "Find out which port" },
  tool_permissions: ["ask"],
  budget: { token_limit: 20_000, turn_limit: 6, timeout_seconds: 60 },
});

test("the SDK's client walks a task: created, asked after, its result; or cancelled", async () => {
  await using api = await testServer({
    rules: [{ when: { prompt: "which port", call: 1 }, respond: { tool_calls: [asks] } }],
    config: {
      identity: {
        callers: { "sub@corp": { roles: ["submitter"] } },
        roles: { submitter: { grants: ["order.submit", "tool:*", "path:**", "tokens:*", "usd:*"] } },
      },
    },
  });
  const admin = api.workspace.runtime.localCaller();
  const made = admin.ok ? await api.workspace.runtime.keys.create(admin.value, { caller_id: "sub@corp" }) : admin;
  const key = made.ok ? made.value.key : "";
  const connect = async (as?: string) => {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
    const requestInit = as === undefined ? {} : { headers: { authorization: `Bearer ${as}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.server.url}/mcp`), { requestInit }));
    return client;
  };
  const client = await connect();
  const { tools } = await client.listTools();
  const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
  expect(support).toMatchObject({
    submit_request: "optional",
    submit_work_order: "optional",
    list_sessions: undefined,
  });
  const asked = { name: "submit_request", arguments: { prompt: "greet Ada" } };
  const seen: string[] = [];
  let result: unknown;
  let taskId = "";
  for await (const message of client.experimental.tasks.callToolStream(asked, undefined, { task: {} })) {
    seen.push(message.type);
    if (message.type === "taskCreated") taskId = message.task.taskId;
    if (message.type === "result") result = message.result;
  }
  expect([seen[0], seen.at(-1)]).toEqual(["taskCreated", "result"]);
  expect(result).toMatchObject({
    structuredContent: { session_id: taskId, status: "success" },
    _meta: { "io.modelcontextprotocol/related-task": { taskId } },
  });
  await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toThrow("has ended");
  await expect(client.experimental.tasks.getTask("SES-20260101-none")).rejects.toThrow("there is no task");
  // One that waits for a person says so, and can be cancelled.
  const waits = { name: "submit_work_order", arguments: { work_order: asking } };
  const [created] = await first(client.experimental.tasks.callToolStream(waits, undefined, { task: {} }));
  const id = created?.type === "taskCreated" ? created.task.taskId : "";
  const words = async () => (await client.experimental.tasks.getTask(id)).statusMessage;
  await expect.poll(words).toContain("Which port?");
  expect(await client.experimental.tasks.cancelTask(id)).toMatchObject({ status: "cancelled" });
  const never = { name: "list_sessions", arguments: {} };
  const [refused] = await first(client.experimental.tasks.callToolStream(never, undefined, { task: {} }));
  expect(refused).toMatchObject({ type: "error" });
  const submitter = await connect(key);
  await expect(submitter.experimental.tasks.getTask(taskId)).rejects.toThrow("there is no task");
  await Promise.all([client.close(), submitter.close()]);
});

async function first<T>(stream: AsyncIterable<T>): Promise<T[]> {
  for await (const each of stream) return [each];
  return [];
}
