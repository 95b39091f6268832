import type { CommandGroup } from "#core/commands";
import { workflowRun } from "../../../work/cli/workflow-run.ts";
import { workflowCheck } from "../../../workflows/cli/workflow-check.ts";
import { workflowGraph } from "../../../workflows/cli/workflow-graph.ts";
import { workflowList } from "../../../workflows/cli/workflow-list.ts";
import { workflowSimulate } from "../../../workflows/cli/workflow-simulate.ts";
import type { AnyCommand } from "../../opened.ts";

export const workflow: CommandGroup<AnyCommand> = {
  name: "workflow",
  summary: "cycles that are written as Markdown: which there are, whether they are sound, and running them",
  examples: ["writ workflow list", "writ workflow simulate bug-fix", "writ workflow run code-review"],
  members: [workflowList, workflowCheck, workflowRun, workflowSimulate, workflowGraph],
};
