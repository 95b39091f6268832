import { createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import { requestOf, tasksExtension } from "./request-of.ts";
import { servePrompts } from "./serve-prompts.ts";
import { serveResources } from "./serve-resources.ts";
import { serveTasks } from "./serve-tasks.ts";
import { serveTools } from "./serve-tools.ts";
import type { KeptState, McpServerParts, McpServing, Serving } from "./serving.ts";

/** Time for a person to answer the questions of one round. */
const stateSeconds = 3600;

type Served = Pick<McpServerParts, "version" | "sanitizeError" | "onProblem" | "clock">;

/** An MCP server for one caller, on one connection or for one request. One factory serves all revisions of the protocol. */
export function mcpServerFor(parts: Served, serves: McpServing): McpServer {
  const { version, sanitizeError } = parts;
  const { offer, caller, closing, stateKey } = serves;
  const codec = createRequestStateCodec<KeptState>({
    key: stateKey,
    ttlSeconds: stateSeconds,
    bind: ({ mcpReq }) => `${mcpReq.method}\0${caller.id}`,
  });
  const server = new McpServer(
    { name: "writ", version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
        // Tasks of revision 2025-11-25; those of 2026-07-28 are an extension.
        tasks: { cancel: {}, requests: { tools: { call: {} } } },
        extensions: { [tasksExtension]: {} },
      },
      instructions: offer.instructions,
      requestState: { verify: codec.verify },
    },
  );
  const declared = () => server.server.getClientCapabilities();
  const serving: Serving = {
    ...serves,
    sanitizeError,
    clock: parts.clock,
    codec,
    requestOf: (context, about) => requestOf(context, { caller, closing, declared, about }),
    onProblem: (thrown) => parts.onProblem(`mcp: ${String(thrown)}`),
  };
  // Clients of earlier revisions get changes of lists without asking; since 2026-07-28 they subscribe to them.
  server.server.oninitialized = () =>
    offer.changes.watch({
      caller,
      lists: ["tools", "resources", "prompts"],
      uris: [],
      onList: (list) => void send[list]().catch(serving.onProblem),
      onResource: () => undefined,
      signal: AbortSignal.any([serves.connection, closing]),
    });
  const send = {
    tools: () => server.server.sendToolListChanged(),
    resources: () => server.server.sendResourceListChanged(),
    prompts: () => server.server.sendPromptListChanged(),
  };
  serveTools(server, serving);
  serveTasks(server, serving);
  serveResources(server, serving);
  servePrompts(server, serving);
  return server;
}
