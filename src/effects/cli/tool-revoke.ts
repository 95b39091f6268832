import { argument, type Command, text } from "#core/commands";
import { ok } from "#core/values";
import type { ToolApprovals } from "../mcp/tool-approvals.ts";

interface RevokeParts {
  readonly approvals: Pick<ToolApprovals, "revoke">;
}

interface RevokeOptions {
  readonly reason: string;
}

export const toolRevoke: Command<"runtime", RevokeParts, RevokeOptions> = {
  name: "revoke",
  summary: "take back what was approved of an MCP server; running sessions refuse it within a second",
  needs: "runtime",
  json: "revoked: the names of the tools",
  arguments: [argument("server[.tool]", "a server, or one of its tools")],
  options: { reason: text("text", "why, for the record", "revoked by hand") },
  examples: ['writ tool revoke memory.read_graph --reason "reads too much"'],
  exits: null,
  run: async ({ approvals }, { arguments: [named = ""], options: { reason } }) => {
    const revoked = await approvals.revoke(named, reason);
    if (!revoked.ok) return revoked;
    return ok({
      json: { revoked: revoked.value },
      text: () => `revoked ${revoked.value.join(", ")}\n`,
    });
  },
};
