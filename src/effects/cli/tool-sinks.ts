import { type Command, optional, text } from "#core/commands";
import type { Screen, table as Table } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { Framework } from "#governance";
import { type ToolSinks, unsaidRights } from "#governance/values";
import type { ToolRegistry } from "../tools/registry.ts";

interface SinkParts {
  readonly tools: ToolRegistry;
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
}

interface SinkOptions {
  readonly framework: string;
}

export const toolSinks: Command<"runtime", SinkParts, SinkOptions> = {
  name: "sinks",
  summary: "what the arguments of tools are taken for when values are judged",
  needs: "runtime",
  json: "framework_id, pack (`off` where it judges no values), tools and undeclared: arguments of acts that are guessed",
  arguments: [optional("tool", "one tool alone")],
  options: { framework: text("id", "the framework whose declarations count", "FMWK-005") },
  examples: ["writ tool sinks --framework FMWK-MAIL", "writ tool sinks mail.send --framework FMWK-MAIL"],
  exits: null,
  run: async ({ tools, resolveFramework }, { arguments: [named], options: { framework } }) => {
    const found = await resolveFramework(framework);
    if (!found.ok) return found;
    const { values = unsaidRights } = found.value.manifest;
    const { withApproved } = await import("../../governance/values/merge-declarations.ts");
    const { describeSinks } = await import("../../governance/values/describe-sinks.ts");
    const { withDeclaredTools } = await import("../../governance/values/declared-tools.ts");
    const chosen = tools.list().filter(({ name }) => named === undefined || name === named);
    const own = Object.fromEntries(chosen.flatMap((each) => (each.values ? [[each.name, each.values]] : [])));
    const approved = Object.fromEntries(chosen.flatMap((each) => (each.approved ? [[each.name, each.approved]] : [])));
    const rights = withApproved(withDeclaredTools(values, own), approved);
    const described = describeSinks(chosen, rights);
    const undeclared = described.flatMap((each) => each.arguments).filter(({ by }) => by === "guessed").length;
    const { pack } = values;
    const { table } = await import("../../core/terminal/table.ts");
    return ok({
      json: { framework_id: framework, pack, tools: described, undeclared },
      text: (screen) => `${sinkTable(described, screen, table)}${ending(framework, pack, undeclared)}`,
    });
  },
};

function sinkTable(tools: readonly ToolSinks[], screen: Screen, table: typeof Table): string {
  const rows = tools.flatMap(({ tool, acts, arguments: each }): readonly (readonly string[])[] => {
    if (!acts) return [[tool, "", "reads", ""]];
    if (each.length === 0) return [[tool, "", "acts without arguments", ""]];
    return each.map(({ argument, sink, kind, by }) => [
      tool,
      argument,
      kind === undefined ? sink : `${sink} ${kind}`,
      by,
    ]);
  });
  return table(screen, ["tool", "argument", "taken for", ""], rows);
}

function ending(framework_id: string, pack: string, undeclared: number): string {
  if (pack === "off") return `${framework_id} judges no values: its manifest says \`pack: off\`\n`;
  return `${framework_id} judges values by the pack ${pack}; ${undeclared} ${undeclared === 1 ? "argument is" : "arguments are"} guessed\n`;
}
