import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { openWorkflows } from "../open-workflows.ts";
import { table } from "../output/table.ts";

export function registerPolicyList(policy: Command, context: CliContext): void {
  policy
    .command("list")
    .description("every policy of the workspace and of Writ, and which cycles ask it")
    .addHelpText("after", "\nExamples:\n  $ writ policy list\n  $ writ policy list --json\n")
    .action(
      act(context, async (invocation) => {
        const opened = await openWorkflows(invocation);
        if (!opened.ok) return opened;
        const inspected = await opened.value.workflows.inspect();
        if (!inspected.ok) return inspected;
        const cycles = [...inspected.value.cycles.values()];
        const policies = inspected.value.definitions
          .filter((definition) => definition.axis === "policy")
          .map(({ id, data, file, origin, hash }) => ({
            id,
            kind: data.kind,
            shadow: data.shadow ?? false,
            cycles: cycles.filter(({ law }) => law.some((each) => each.file === file)).map((cycle) => cycle.id),
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
      }),
    );
}
