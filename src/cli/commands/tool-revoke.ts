import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { withRuntime } from "../with-runtime.ts";

export function registerRevoke(tool: Command, context: CliContext): void {
  tool
    .command("revoke")
    .description("take back what was approved of an MCP server; running sessions refuse it within a second")
    .argument("<server[.tool]>", "a server, or one of its tools")
    .option("--reason <text>", "why, for the record", "revoked by hand")
    .addHelpText("after", '\nExample:\n  $ writ tool revoke memory.read_graph --reason "reads too much"\n')
    .action(
      act<{ readonly reason: string }>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const revoked = await runtime.approvals.revoke(invocation.arguments[0] ?? "", invocation.options.reason);
          if (!revoked.ok) return revoked;
          return ok({
            json: { revoked: revoked.value },
            text: () => `revoked ${revoked.value.join(", ")}\n`,
          });
        }),
      ),
    );
}
