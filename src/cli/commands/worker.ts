import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { type KernelOptions, storeOption, withKernel } from "../with-kernel.ts";

interface WorkerOptions extends KernelOptions {
  readonly module: string;
  readonly capability?: string;
  readonly concurrency: string;
  readonly id?: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("worker")
    .description("take work, do it, hand back what it made, until told to end")
    .option(...storeOption)
    .requiredOption("--module <file>", "a JavaScript module exporting `handlers`, a function for each capability")
    .option("--capability <names>", "only these, comma-separated (default: all that the module has)")
    .option("--concurrency <n>", "items at once", "4")
    .option("--id <id>", "its name in the history")
    .addHelpText(
      "after",
      "\nExample:\n  $ writ worker --module ./my-worker.js --capability draft,check --concurrency 8\n",
    )
    .action(
      act<WorkerOptions>(context, (invocation) =>
        withKernel(invocation, async ({ kernel }) => {
          const { loadHandlers } = await import("#compose");
          const { options } = invocation;
          const loaded = await loadHandlers(options.module, context.cwd);
          if (!loaded.ok) return loaded;
          const wanted = options.capability?.split(",") ?? Object.keys(loaded.value);
          const handlers: Record<string, (typeof loaded.value)[string]> = {};
          for (const capability of wanted) {
            const handler = loaded.value[capability];
            if (!handler)
              return err(
                domainError("MALFORMED_INPUT", `${options.module} has no handler for ${capability}`, {
                  details: { hint: `it has ${Object.keys(loaded.value).join(", ") || "none"}` },
                }),
              );
            handlers[capability] = handler;
          }
          const { runWorker } = await import("#kernel");
          const { clock, signal, stderr } = context;
          const worker_id = options.id ?? kernel.ids.sortable("worker");
          stderr.write(`${worker_id} works on ${wanted.join(", ")}\n`);
          const onProblem = (problem: { readonly message: string }) => stderr.write(`writ: ${problem.message}\n`);
          const concurrency = Number(options.concurrency);
          await runWorker({ kernel, worker_id, handlers, clock, signal, concurrency, onProblem });
          return ok({});
        }),
      ),
    );
}
