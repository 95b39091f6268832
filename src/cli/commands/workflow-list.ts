import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { openWorkflows } from "../open-workflows.ts";
import { table } from "../output/table.ts";

export function registerList(workflow: Command, context: CliContext): void {
  workflow
    .command("list")
    .description("the cycles that are registered, the workspace's own first")
    .addHelpText("after", "\nExample:\n  $ writ workflow list\n")
    .action(
      act(context, async (invocation) => {
        const opened = await openWorkflows(invocation);
        if (!opened.ok) return opened;
        const registry = await opened.value.workflows.registry();
        if (!registry.ok) return registry;
        const cycles = registry.value.list().map(({ id, definition, phases, hash }) => ({
          id,
          title: definition.data.title ?? "",
          mode: definition.data.mode ?? "interactive",
          phases: phases.map((phase) => phase.id),
          personas: [...new Set(phases.flatMap(({ agents }) => agents.map(({ persona }) => persona.id)))],
          triggers: definition.data.triggers ?? [],
          origin: definition.origin,
          file: definition.file,
          hash,
        }));
        return ok({
          json: cycles,
          text: (screen) =>
            table(
              screen,
              ["cycle", "what it is", "phases", "file"],
              cycles.map(({ id, title, phases, file }) => [
                screen.bold(id),
                title,
                phases.join(" → "),
                screen.dim(file),
              ]),
            ),
        });
      }),
    );
}
