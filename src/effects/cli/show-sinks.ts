import type { Screen, table as Table } from "#core/terminal";
import type { ToolSinks } from "#governance/values";
import { visible } from "../mcp/visible.ts";

/** What the arguments of tools that act are taken for, before they are approved. Names are the server's: nothing hides in them. */
export function sinksText(described: readonly ToolSinks[], screen: Screen, table: typeof Table): string {
  const rows = described.flatMap(({ tool, arguments: each }) =>
    each.map(({ argument, sink, kind, by }) => [
      tool,
      visible(argument),
      kind === undefined ? sink : `${sink} ${kind}`,
      by,
    ]),
  );
  return rows.length === 0 ? "" : `${table(screen, ["tool", "argument", "taken for", ""], rows)}\n`;
}
