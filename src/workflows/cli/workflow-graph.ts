import { argument, type Command, type Opens, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { Workflows } from "../definitions/registry.ts";

interface GraphParts {
  readonly workflows: Opens<{ readonly workflows: Workflows }>;
}

interface GraphOptions {
  readonly format: string;
}

export const workflowGraph: Command<"choice", GraphParts, GraphOptions> = {
  name: "graph",
  summary: "draw a cycle: its phases, who is asked in each, its gates and its ways",
  needs: "choice",
  json: "the graph, with the drawing under mermaid or svg",
  arguments: [argument("cycle", "the id of the cycle")],
  options: { format: text("format", "mermaid or svg", "mermaid") },
  examples: ["writ workflow graph bug-fix", "writ workflow graph bug-fix --format svg > bug-fix.svg"],
  exits: null,
  run: async (opens, { arguments: [id = ""], options: { format } }) => {
    if (format !== "mermaid" && format !== "svg")
      return err(domainError("MALFORMED_INPUT", `there is no format ${JSON.stringify(format)}: mermaid or svg`));
    return opens.workflows(async ({ workflows }) => {
      const registry = await workflows.registry();
      if (!registry.ok) return registry;
      const cycle = registry.value.cycle(id);
      if (!cycle.ok) return cycle;
      const { graphOf } = await import("../graph/graph.ts");
      const { toMermaid } = await import("../graph/mermaid.ts");
      const { toSvg } = await import("../graph/svg.ts");
      const graph = graphOf(cycle.value);
      const drawn = format === "svg" ? toSvg(graph) : toMermaid(graph);
      return ok({ json: { ...graph, [format]: drawn }, text: () => drawn });
    });
  },
};
