import type { Command } from "#core/commands";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import type { Workflows } from "../definitions/registry.ts";

interface PolicyParts {
  readonly workflows: Workflows;
}

export const policyList: Command<"workflows", PolicyParts> = {
  name: "list",
  summary: "every policy of the workspace and of Writ, and which cycles ask it",
  needs: "workflows",
  json: "policies with id, kind, shadow, cycles, file, origin and hash",
  arguments: [],
  options: {},
  examples: ["writ policy list", "writ policy list --json"],
  exits: null,
  run: async ({ workflows }) => {
    const inspected = await workflows.inspect();
    if (!inspected.ok) return inspected;
    const cycles = [...inspected.value.cycles.values()];
    const policies = inspected.value.definitions
      .filter((definition) => definition.axis === "policy")
      .map(({ id, data, file, origin, hash }) => ({
        id,
        kind: data.kind,
        shadow: data.shadow ?? false,
        cycles: cycles
          .filter(({ definitions }) => definitions.some((each) => each.file === file))
          .map((cycle) => cycle.id),
        file,
        origin,
        hash,
      }));
    return ok({
      json: { policies },
      text: (screen) =>
        table(
          screen,
          ["policy", "kind", "", "asked in", "from"],
          policies.map(({ id, kind, shadow, cycles: of, file }) => [
            screen.bold(id),
            kind,
            shadow ? "watches" : "",
            of.join(", ") || screen.dim("no cycle"),
            screen.dim(file),
          ]),
        ),
    });
  },
};
