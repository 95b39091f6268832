import type { Command } from "#core/commands";
import { whileRead } from "#core/commands";
import { type Caller, ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";

interface McpParts {
  readonly runtime: { readonly config: Pick<WritConfig, "server">; localCaller(): Result<Caller> };
  readonly serveMcp: (wanted: McpWanted) => Promise<Result<void>>;
}

interface McpWanted {
  readonly caller: Caller;
  readonly callerShare: number;
  readonly maxPendingOrders: number;
  readonly maxStreams: number;
  readonly hasStudio: boolean;
  readonly ending: AbortSignal;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}

export const mcp: Command<"server", McpParts> = {
  name: "mcp",
  summary: "Writ as an MCP server on stdin and stdout; `writ up` and `writ serve` have the same at /mcp",
  needs: "server",
  json: null,
  arguments: [],
  options: {},
  examples: [
    {
      line: 'in the configuration of a client: {"command": "writ", "args": ["mcp", "--root", "/path/to/workspace"]}',
    },
  ],
  exits: null,
  run: async ({ runtime, serveMcp }, { context }) => {
    const caller = runtime.localCaller();
    if (!caller.ok) return caller;
    const signal = whileRead(context);
    const { caller_share, max_pending_orders, max_streams } = runtime.config.server;
    const served = await serveMcp({
      caller: caller.value,
      callerShare: caller_share,
      maxPendingOrders: max_pending_orders,
      maxStreams: max_streams,
      hasStudio: false,
      ending: signal,
      signal,
      onProblem: (message) => context.stderr.write(`writ: ${message}\n`),
    });
    return served.ok ? ok({}) : served;
  },
};
