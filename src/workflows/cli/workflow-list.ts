import type { Command } from "#core/commands";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import { leftOut } from "../definitions/problem.ts";
import type { Workflows } from "../definitions/registry.ts";

interface ListParts {
  readonly workflows: Workflows;
}

export const workflowList: Command<"workflows", ListParts> = {
  name: "list",
  summary: "the cycles that are registered, the workspace's own first",
  needs: "workflows",
  json: "a list of cycles with id, title, mode, phases, personas, triggers, origin, file and hash",
  arguments: [],
  options: {},
  examples: ["writ workflow list"],
  exits: null,
  run: async ({ workflows }) => {
    const registry = await workflows.registry();
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
        [
          table(
            screen,
            ["cycle", "what it is", "phases", "file"],
            cycles.map(({ id, title, phases, file }) => [screen.bold(id), title, phases.join(" → "), screen.dim(file)]),
          ),
          ...leftOut(registry.value.problems),
        ].join("\n"),
    });
  },
};
