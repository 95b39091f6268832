import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { workflowCheck } from "./workflow-check.ts";
import { workflowGraph } from "./workflow-graph.ts";
import { workflowList } from "./workflow-list.ts";
import { workflowRun } from "./workflow-run.ts";
import { workflowSimulate } from "./workflow-simulate.ts";

export const workflow: CommandGroup<AnyCommand> = {
  name: "workflow",
  summary: "cycles that are written as Markdown: which there are, whether they are sound, and running them",
  examples: ["writ workflow list", "writ workflow simulate bug-fix", "writ workflow run code-review"],
  members: [workflowList, workflowCheck, workflowRun, workflowSimulate, workflowGraph],
};
