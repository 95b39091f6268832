import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { registerCheck } from "./workflow-check.ts";
import { registerGraph } from "./workflow-graph.ts";
import { registerList } from "./workflow-list.ts";
import { registerRun } from "./workflow-run.ts";
import { registerSimulate } from "./workflow-simulate.ts";

export function register(program: Command, context: CliContext): void {
  const workflow = program
    .command("workflow")
    .description("cycles that are written as Markdown: which there are, whether they are sound, and running them")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ workflow list\n  $ writ workflow simulate bug-fix\n  $ writ workflow run code-review\n",
    );
  registerList(workflow, context);
  registerCheck(workflow, context);
  registerRun(workflow, context);
  registerSimulate(workflow, context);
  registerGraph(workflow, context);
}
