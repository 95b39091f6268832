import type { Command } from "commander";
import { ok } from "#base";
import type { App } from "#kernel";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { type KernelOptions, storeOption, withKernel } from "../with-kernel.ts";

interface ConductorOptions extends KernelOptions {
  readonly app: readonly string[];
  readonly id?: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("conductor")
    .description("ask apps when there is something new, and return expired leases to the queue, until told to end")
    .option(...storeOption)
    .requiredOption("--app <module...>", "JavaScript modules, each exporting an `app`")
    .option("--id <id>", "its name in the history")
    .addHelpText("after", "\nExample:\n  $ writ conductor --app ./my-app.js --store sqlite:kernel.db\n")
    .action(
      act<ConductorOptions>(context, (invocation) =>
        withKernel(invocation, async ({ kernel, documents }) => {
          const { loadApp } = await import("#compose");
          const apps: App[] = [];
          for (const file of invocation.options.app) {
            const app = await loadApp(file, context.cwd);
            if (!app.ok) return app;
            apps.push(app.value);
          }
          const { runConductor } = await import("#kernel");
          const { clock, signal, stderr } = context;
          const conductor_id = invocation.options.id ?? kernel.ids.sortable("conductor");
          stderr.write(`${conductor_id} conducts ${apps.map((app) => app.app_id).join(", ")}\n`);
          const onProblem = (problem: { readonly message: string }) => stderr.write(`writ: ${problem.message}\n`);
          await runConductor({ kernel, conductor_id, apps, documents, clock, signal, onProblem });
          return ok({});
        }),
      ),
    );
}
