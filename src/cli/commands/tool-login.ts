import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { withRuntime } from "../with-runtime.ts";

export function registerLogin(tool: Command, context: CliContext): void {
  tool
    .command("login")
    .description("log in to an MCP server that wants a person's account (mcp.servers.NAME.oauth)")
    .argument("<server>", "a server over HTTP")
    .addHelpText("after", "\nExample:\n  $ writ tool login tickets\n")
    .action(
      act(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const server = invocation.arguments[0] ?? "";
          const show = (url: string) => context.stderr.write(`Open this address and log in:\n\n  ${url}\n\n`);
          const done = await runtime.approvals.logIn(server, show, context.signal);
          if (!done.ok) return done;
          return ok({ json: { logged_in: server }, text: () => `logged in to ${server}\n` });
        }),
      ),
    );
}
