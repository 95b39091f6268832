import type { Command } from "commander";
import { ok, type Result } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { daysMs } from "../days.ts";
import { withCrew } from "../with-crew.ts";
import { type KernelOptions, leaseMsOf, leaseOption } from "../with-kernel.ts";

interface ConductorOptions extends KernelOptions {
  readonly app?: readonly string[];
  readonly id?: string;
  readonly lease: string;
  readonly archiveAfter?: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("conductor")
    .description("ask apps when there is something new, and return expired leases to the queue, until told to end")
    .option("--app <name...>", "apps by name or by the path of a module (default: all that come with Writ)")
    .option(...leaseOption)
    .option("--archive-after <days>", "move runs that closed longer ago into documents (default: keep them)")
    .option("--id <id>", "its name in the history")
    .addHelpText("after", "\nExample:\n  $ writ conductor --app writer ./my-app.js --store sqlite:kernel.db\n")
    .action(
      act<ConductorOptions>(context, (invocation) =>
        withCrew(invocation, async ({ runtime, kernel, documents, postgres }) => {
          const { archivingOldRuns, equipApp, findApps, keepingRunsAnchored } = await import("#compose");
          const found = await findApps(invocation.options.app, context.cwd);
          if (!found.ok) return found;
          const apps = found.value.map((app) => equipApp(app, runtime));
          const leaseMs = leaseMsOf(invocation.options);
          if (!leaseMs.ok) return leaseMs;
          const closedForMs = retentionOf(invocation.options);
          if (!closedForMs.ok) return closedForMs;
          const { runConductor } = await import("#kernel");
          const { clock, signal, stderr } = context;
          const conductor_id = invocation.options.id ?? kernel.ids.sortable("conductor");
          stderr.write(`${conductor_id} conducts ${apps.map((app) => app.app_id).join(", ")}\n`);
          const onProblem = (problem: { readonly message: string }) => stderr.write(`writ: ${problem.message}\n`);
          const common = { kernel, clock, signal, onProblem };
          const conduct = () => runConductor({ ...common, conductor_id, apps, documents, turnLeaseMs: leaseMs.value });
          const anchoring = { ...common, postgres, root: runtime.root, config: runtime.config };
          const anchored = await keepingRunsAnchored(anchoring, () =>
            archivingOldRuns({ ...common, documents, closedForMs: closedForMs.value }, conduct),
          );
          return anchored.ok ? ok({}) : anchored;
        }),
      ),
    );
}

function retentionOf({ archiveAfter }: ConductorOptions): Result<number | undefined> {
  if (archiveAfter === undefined) return ok(undefined);
  return daysMs("--archive-after", archiveAfter, { least: 0 });
}
