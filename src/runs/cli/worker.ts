import type { Answer, Invocation } from "#core/commands";
import { type Command, numberOption, type Opens, text } from "#core/commands";
import { domainError } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import type { WorkspaceModules } from "../apps/workspace-modules.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { WorkHandler } from "../kernel/run-worker.ts";
import type { RunTimes } from "../run-times.ts";
import type { HandlerParts } from "../start-worker-pool.ts";
import { leaseMsOf, leaseOption } from "./lease.ts";

interface WorkerParts {
  readonly workerPool: Opens<Kerneled & { readonly runtime: HandlerParts }>;
  readonly kernel: Opens<Kerneled>;
}

interface Kerneled {
  readonly kernel: Kernel;
  readonly times: RunTimes;
  readonly modules: () => Promise<WorkspaceModules>;
}

interface WorkerOptions {
  readonly module?: string;
  readonly capability?: string;
  readonly concurrency: string;
  readonly lease?: string;
  readonly id?: string;
}

type Handlers = Readonly<Record<string, WorkHandler>>;

export const worker: Command<"choice", WorkerParts, WorkerOptions> = {
  name: "worker",
  summary: "take work, do it, hand back what it made, until it is stopped",
  needs: "choice",
  json: null,
  arguments: [],
  options: {
    module: text("file", "a JavaScript or TypeScript module exporting `handlers`, a function for each capability"),
    capability: text("names", "only these, comma-separated (default: all of the module, or all that Writ ships)"),
    concurrency: text("n", "items at once", "4"),
    lease: leaseOption,
    id: text("id", "its name in the history"),
  },
  examples: ["writ worker --capability research,agent --concurrency 8", "writ worker --module ./my-worker.js"],
  exits: null,
  run: (opens, invocation) => {
    const { module } = invocation.options;
    if (module === undefined)
      return opens.workerPool(async ({ runtime, ...opened }) => {
        const { workersOf } = await import("../start-worker-pool.ts");
        return work(opened, invocation, { handlers: workersOf(runtime) });
      });
    return opens.kernel(async (opened) => {
      const loaded = await (await opened.modules()).loadHandlers(module);
      return loaded.ok ? work(opened, invocation, loaded.value) : loaded;
    });
  },
};

async function work(
  { kernel, times }: Kerneled,
  invocation: Invocation<WorkerOptions>,
  offered: { readonly handlers: Handlers; readonly tier?: ProgramTier },
): Promise<Result<Answer>> {
  const { options, context } = invocation;
  const handlers = wantedHandlers(options, offered.handlers);
  if (!handlers.ok) return handlers;
  const concurrency = numberOption("--concurrency", options.concurrency);
  if (!concurrency.ok) return concurrency;
  const leaseMs = leaseMsOf(options, times);
  if (!leaseMs.ok) return leaseMs;
  const { runWorker } = await import("../kernel/run-worker.ts");
  const { clock, signal, stderr } = context;
  const worker_id = options.id ?? kernel.ids.sortable("worker");
  stderr.write(`${worker_id} works on ${Object.keys(handlers.value).join(", ")}\n`);
  const onProblem = (problem: { readonly message: string }) => stderr.write(`writ: ${problem.message}\n`);
  await runWorker({
    kernel,
    worker_id,
    handlers: handlers.value,
    ...(offered.tier === undefined ? {} : { tier: offered.tier }),
    clock,
    signal,
    concurrency: concurrency.value,
    leaseMs: leaseMs.value,
    heartbeatMs: times.heartbeatMs,
    pollMs: times.pollMs,
    onProblem,
  });
  return ok({});
}

function wantedHandlers(options: WorkerOptions, offered: Handlers): Result<Handlers> {
  if (options.capability === undefined) return ok(offered);
  const wanted: Record<string, WorkHandler> = {};
  for (const capability of options.capability.split(",")) {
    const handler = Object.hasOwn(offered, capability) ? offered[capability] : undefined;
    if (!handler)
      return err(
        domainError("MALFORMED_INPUT", `${options.module ?? "Writ"} has no handler for ${capability}`, {
          details: { hint: `there are ${Object.keys(offered).join(", ") || "none"}` },
        }),
      );
    wanted[capability] = handler;
  }
  return ok(wanted);
}
