import type { Command } from "commander";
import { type DomainError, domainError, err, ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import { type Answer, act, type Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import { withCrew } from "../../with-crew.ts";
import { type KernelOptions, withKernel } from "../../with-kernel.ts";
import { describeRun } from "./describe-run.ts";
import { workOnRun } from "./work-on-run.ts";

interface StartOptions extends KernelOptions {
  readonly app: string;
  readonly objective: string;
  readonly actor: string;
  readonly wait?: boolean;
}

export function add(runs: Command, context: CliContext): void {
  runs
    .command("start")
    .description("open a run for an app; with --wait also conduct it and do its work, here and now")
    .requiredOption("--app <name>", "the app that decides: writer, code-change, or the path of a module")
    .requiredOption("--objective <text>", "what the run is for")
    .option("--actor <id>", "in whose name", "user")
    .option("--wait", "conduct it here, tell what happens, and end when the run is closed")
    .addHelpText("after", '\nExample:\n  $ writ runs start --app writer --objective "Explain leases" --wait\n')
    .action(
      act<StartOptions>(context, (invocation) => {
        const { objective, wait } = invocation.options;
        if (objective.trim() === "") return Promise.resolve(err(noObjective()));
        return (wait ? startAndWork : start)(invocation);
      }),
    );
}

function noObjective(): DomainError {
  return domainError("MALFORMED_INPUT", "--objective says nothing", {
    details: { hint: 'writ runs start --app writer --objective "Explain leases"' },
  });
}

/** Opens the run and leaves it to whoever conducts this store. */
function start(invocation: Invocation<StartOptions>): Promise<Result<Answer>> {
  return withKernel(invocation, async ({ kernel }) => {
    const app = await findApp(invocation);
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
  });
}

function startAndWork(invocation: Invocation<StartOptions>): Promise<Result<Answer>> {
  return withCrew(invocation, async (open) => {
    const app = await findApp(invocation);
    if (!app.ok) return app;
    const run_id = await openRun(open.kernel, invocation, app.value.app_id);
    if (!run_id.ok) return run_id;
    return workOnRun(open, invocation, { run_id: run_id.value, app_id: app.value.app_id }, [app.value]);
  });
}

async function findApp({ options, context }: Invocation<StartOptions>) {
  const compose = await import("#compose");
  return compose.findApp(options.app, context.cwd);
}

async function openRun(kernel: OpenKernel["kernel"], { options }: Invocation<StartOptions>, app_id: string) {
  const { objective, actor } = options;
  const started = await kernel.startRun({ app_id, objective, actor_id: actor });
  return started.ok ? ok(started.value.run_id) : started;
}
