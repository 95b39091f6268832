import type { Answer, Invocation } from "#core/commands";
import { type Command, flag, type Opens, requiredText, text } from "#core/commands";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { WorkspaceModules } from "../apps/workspace-modules.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { describeRun } from "./describe-run.ts";
import type { RunParts } from "./run-parts.ts";
import { type WorkOnRunParts, workOnRun } from "./work-on-run.ts";

interface StartParts {
  readonly kernel: Opens<StartOnlyParts>;
  readonly workerPool: Opens<WorkOnRunParts & LoadsModules>;
}

interface LoadsModules {
  readonly modules: () => Promise<WorkspaceModules>;
}

type StartOnlyParts = RunParts & LoadsModules;

interface StartOptions {
  readonly app: string;
  readonly objective: string;
  readonly actor: string;
  readonly wait?: boolean;
}

export const start: Command<"choice", StartParts, StartOptions> = {
  name: "start",
  summary: "open a run for an app; with --wait also conduct it and do its work, here and now",
  needs: "choice",
  json: "run, a run_v1",
  arguments: [],
  options: {
    app: requiredText("name", "the app that decides: writer, code-change, or the path of a module"),
    objective: requiredText("text", "what the run is for"),
    actor: text("id", "in whose name", "user"),
    wait: flag("conduct it here, tell what happens, and end when the run is closed"),
  },
  examples: ['writ runs start --app writer --objective "Explain leases" --wait'],
  exits: { 4: "with --wait: the run closed as blocked" },
  run: async (opens, invocation) => {
    if (invocation.options.objective.trim() === "") return err(noObjective());
    return invocation.options.wait
      ? opens.workerPool((open) => startAndWork(open, invocation))
      : opens.kernel((open) => startOnly(open, invocation));
  },
};

function noObjective(): DomainError {
  return domainError("MALFORMED_INPUT", "--objective says nothing", {
    details: { hint: 'writ runs start --app writer --objective "Explain leases"' },
  });
}

/** Starts the run; the conductors of this store work on it. */
async function startOnly(
  { kernel, modules }: StartOnlyParts,
  invocation: Invocation<StartOptions>,
): Promise<Result<Answer>> {
  const app = await findApp(invocation, modules);
  if (!app.ok) return app;
  const opened = await openRun(kernel, invocation, app.value.app_id);
  if (!opened.ok) return opened;
  const run = await kernel.read.run(opened.value);
  if (!run.ok) return run;
  return ok({
    json: { run: run.value },
    text: (screen) =>
      describeRun(run.value, screen) +
      screen.dim(`${screen.sign.arrow} \`writ conductor\` and \`writ worker\` take it from here\n`),
  });
}

async function startAndWork(
  open: WorkOnRunParts & LoadsModules,
  invocation: Invocation<StartOptions>,
): Promise<Result<Answer>> {
  const app = await findApp(invocation, open.modules);
  if (!app.ok) return app;
  const run_id = await openRun(open.kernel, invocation, app.value.app_id);
  if (!run_id.ok) return run_id;
  return workOnRun(open, invocation, { run_id: run_id.value, app_id: app.value.app_id }, [app.value]);
}

async function findApp({ options }: Invocation<StartOptions>, modules: LoadsModules["modules"]) {
  const compose = await import("../find-apps.ts");
  return compose.findApp(options.app, modules);
}

async function openRun(kernel: Kernel, { options }: Invocation<StartOptions>, app_id: string) {
  const { objective, actor } = options;
  const started = await kernel.startRun({ app_id, objective, actor_id: actor });
  return started.ok ? ok(started.value.run_id) : started;
}
