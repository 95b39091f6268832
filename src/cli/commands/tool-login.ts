import { ok } from "#base";
import type { ToolApprovals } from "#compose";
import { argument, type Command } from "../command.ts";

interface LoginParts {
  readonly approvals: Pick<ToolApprovals, "logIn">;
}

export const toolLogin: Command<"runtime", LoginParts> = {
  name: "login",
  summary: "log in to an MCP server that wants a person's account (mcp.servers.NAME.oauth)",
  needs: "runtime",
  json: "logged_in: the server",
  arguments: [argument("server", "a server over HTTP")],
  options: {},
  examples: ["writ tool login tickets"],
  run: async ({ approvals }, { arguments: [server = ""], context }) => {
    const show = (url: string) => context.stderr.write(`Open this address and log in:\n\n  ${url}\n\n`);
    const done = await approvals.logIn(server, show, context.signal);
    if (!done.ok) return done;
    return ok({ json: { logged_in: server }, text: () => `logged in to ${server}\n` });
  },
};
