import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { McpServerSpec } from "#workspace";

export interface SessionServer extends AsyncDisposable {
  /** Sessions that were begun. */
  readonly greeted: number;
  /** Calls that it carried out. */
  readonly called: number;
  spec(more?: Partial<McpServerSpec>): McpServerSpec;
  /** Knows no session any more, as a program that was started anew. */
  restart(): void;
  /** Answers every request so until it is told 200. */
  refuse(status: number): void;
  /** Calls from now on wait: what it gives resolves when the next has begun, with what lets it end. */
  hold(): Promise<() => void>;
}

/** A server over HTTP that keeps sessions, on the SDK of before 2026. Requests of a session that it does not know are answered with `unknown`. */
export async function sessionServer(unknown = 404): Promise<SessionServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let greeted = 0;
  let called = 0;
  let status = 200;
  let onCall: () => Promise<void> = () => Promise.resolve();

  const begin = async () => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(id) {
        greeted += 1;
        sessions.set(id, transport);
      },
    });
    const server = new Server({ name: "sessions", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: "post", description: "Posts", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async () => {
      called += 1;
      await onCall();
      return { content: [{ type: "text", text: "posted" }] };
    });
    await server.connect(transport);
    return transport;
  };
  const http = createServer((request, response) => {
    void (async () => {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? sessions.get(id) : undefined;
      if (status !== 200) response.writeHead(status).end();
      else if (id !== undefined && !known) response.writeHead(unknown).end("Session not found");
      else await (known ?? (await begin())).handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return {
    get greeted() {
      return greeted;
    },
    get called() {
      return called;
    },
    spec: (more = {}) => ({
      name: "desk",
      declaredIn: "test",
      startTimeoutMs: 30_000,
      recheckMs: 0,
      transport: { kind: "http", url, headers: {} },
      ...more,
    }),
    restart: () => sessions.clear(),
    refuse(next) {
      status = next;
    },
    hold: () =>
      new Promise((begun) => {
        onCall = () => new Promise((end) => begun(end));
      }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}
