import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

type Json = Record<string, unknown>;

export interface TaskServer extends AsyncDisposable {
  readonly url: string;
  /** Methods that reached it, with the task or tool that they name, in order; looks at a task are left out. */
  readonly asked: string[];
  /** Answers that the task was given. */
  readonly given: Json[];
  /** How it answers a look at its task. */
  say(state: (task_id: string) => Json | Promise<Json>): void;
}

/** A server of revision 2026-07-28 with a tool that always becomes a task, and tells of it what the test says. */
export async function taskServer(first: (task_id: string) => Json): Promise<TaskServer> {
  let state: (task_id: string) => Json | Promise<Json> = first;
  const asked: string[] = [];
  const given: Json[] = [];
  let made = 0;
  const anything = fromJsonSchema<Json>({ type: "object" });
  const times = { createdAt: "2026-11-01T00:00:00.000Z", lastUpdatedAt: "2026-11-01T00:00:00.000Z", ttlMs: null };
  const base = (taskId: string) => ({ taskId, status: "working", pollIntervalMs: 50, ...times });
  const make = () => {
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    const server = new McpServer({ name: "oven", version: "1" }, { capabilities: { tools: {}, extensions } });
    const inputSchema = fromJsonSchema<Json>({ type: "object", properties: { what: { type: "string" } } });
    server.registerTool("bake", { description: "Bakes", inputSchema }, () => ({ content: [] }));
    server.server.setRequestHandler("tools/call", ({ params }) => {
      asked.push(`call ${params.name}`);
      made += 1;
      return { resultType: "task", ...base(`task-${made}`) } as never;
    });
    const schemas = { params: anything, result: anything };
    server.server.setRequestHandler("tasks/get", schemas, async ({ taskId }) => {
      return { ...base(String(taskId)), ...(await state(String(taskId))) };
    });
    server.server.setRequestHandler("tasks/update", schemas, ({ taskId }, { mcpReq }) => {
      asked.push(`update ${String(taskId)}`);
      given.push({ ...mcpReq.inputResponses });
      return {};
    });
    server.server.setRequestHandler("tasks/cancel", schemas, ({ taskId }) => {
      asked.push(`cancel ${String(taskId)}`);
      return {};
    });
    return server;
  };
  const handle = toNodeHandler(createMcpHandler(make));
  const http = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    asked,
    given,
    say(next) {
      state = next;
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
