import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import { type CliContext, whileRead } from "../context.ts";
import { withCrew } from "../with-crew.ts";
import type { KernelOptions } from "../with-kernel.ts";

export function register(program: Command, context: CliContext): void {
  program
    .command("mcp")
    .description("Writ as an MCP server on stdin and stdout; `writ up` and `writ serve` have the same at /mcp")
    .addHelpText(
      "after",
      '\nExample:\n  in the configuration of a client: {"command": "writ", "args": ["mcp", "--root", "/path/to/workspace"]}\n',
    )
    .action(
      act<KernelOptions>(context, (invocation) =>
        withCrew(invocation, async ({ runtime, ...kernel }) => {
          const caller = runtime.localCaller();
          if (!caller.ok) return caller;
          const { serveMcp } = await import("#http");
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
        }),
      ),
    );
}
