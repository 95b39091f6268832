import type { Command } from "#core/commands";
import { whileRead } from "#core/commands";
import { ok } from "#core/values";
import type { serveMcp } from "../server/serve-mcp.ts";

type McpOptions = Parameters<typeof serveMcp>[0];
type McpParts = { readonly runtime: McpOptions["runtime"] } & McpOptions["kernel"];

export const mcp: Command<"workerPool", McpParts> = {
  name: "mcp",
  summary: "Writ as an MCP server on stdin and stdout; `writ up` and `writ serve` have the same at /mcp",
  needs: "workerPool",
  json: null,
  arguments: [],
  options: {},
  examples: [
    {
      line: 'in the configuration of a client: {"command": "writ", "args": ["mcp", "--root", "/path/to/workspace"]}',
    },
  ],
  run: async ({ runtime, ...kernel }, { context }) => {
    const caller = runtime.localCaller();
    if (!caller.ok) return caller;
    const { serveMcp } = await import("../server/serve-mcp.ts");
    const { clock, version, stderr } = context;
    const signal = whileRead(context);
    const { caller_share, max_pending_orders, max_streams } = runtime.config.server;
    await serveMcp({
      runtime,
      kernel,
      clock,
      version,
      caller: caller.value,
      callerShare: caller_share,
      maxPendingOrders: max_pending_orders,
      maxStreams: max_streams,
      hasStudio: false,
      ending: signal,
      signal,
      onProblem: (message) => stderr.write(`writ: ${message}\n`),
    });
    return ok({});
  },
};
