import { argument, type Command } from "#core/commands";
import { ok } from "#core/values";
import type { ToolApprovals } from "../mcp/tool-approvals.ts";

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
  exits: null,
  run: async ({ approvals }, { arguments: [server = ""], context }) => {
    const show = (url: string) => context.stderr.write(`Open this address and log in:\n\n  ${url}\n\n`);
    const done = await approvals.logIn(server, show, context.signal);
    if (!done.ok) return done;
    return ok({ json: { logged_in: server }, text: () => `logged in to ${server}\n` });
  },
};
