import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { openWorkflows } from "../open-workflows.ts";

interface GraphOptions {
  readonly format?: string;
}

export function registerGraph(workflow: Command, context: CliContext): void {
  workflow
    .command("graph")
    .description("draw a cycle: its phases, who is asked in each, its gates and its ways")
    .argument("<cycle>", "the id of the cycle")
    .option("--format <format>", "mermaid or svg", "mermaid")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ workflow graph bug-fix\n  $ writ workflow graph bug-fix --format svg > bug-fix.svg\n",
    )
    .action(
      act<GraphOptions>(context, async (invocation) => {
        const { format = "mermaid" } = invocation.options;
        if (format !== "mermaid" && format !== "svg")
          return err(domainError("MALFORMED_INPUT", `there is no format ${JSON.stringify(format)}: mermaid or svg`));
        const opened = await openWorkflows(invocation);
        if (!opened.ok) return opened;
        const registry = await opened.value.workflows.registry();
        if (!registry.ok) return registry;
        const cycle = registry.value.cycle(invocation.arguments[0] ?? "");
        if (!cycle.ok) return cycle;
        const { graphOf, toMermaid, toSvg } = await import("#workflows");
        const graph = graphOf(cycle.value);
        const drawn = format === "svg" ? toSvg(graph) : toMermaid(graph);
        return ok({ json: { ...graph, [format]: drawn }, text: () => drawn });
      }),
    );
}
