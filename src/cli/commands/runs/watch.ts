import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import { type Answer, act, type Invocation } from "../../act.ts";
import { type CliContext, whileRead } from "../../context.ts";
import { followRun } from "../../story/follow-run.ts";
import { runOfAppStory } from "../../story/run-of-app-story.ts";
import { withCrew } from "../../with-crew.ts";
import { type KernelOptions, withKernel } from "../../with-kernel.ts";
import { runOf } from "./run-of.ts";
import { workOnRun } from "./work-on-run.ts";

interface WatchOptions extends KernelOptions {
  readonly work?: boolean;
  readonly app?: readonly string[];
}

export function add(runs: Command, context: CliContext): void {
  runs
    .command("watch")
    .argument("<run>", "its id, any part of it that only one run has, or last")
    .description("tell a run as it happens, until it is closed; with --work also conduct it and do its work")
    .addHelpText("after", "\nExamples:\n  $ writ runs watch 7qk2\n  $ writ runs watch 7qk2 --work\n")
    .option("--work", "take the run up here: nothing that was done is done again")
    .option("--app <module...>", "apps of your own, for --work")
    .action(
      act<WatchOptions>(context, (invocation) =>
        invocation.options.work
          ? withCrew(invocation, async (open) => {
              const run = await wanted(open, invocation);
              if (!run.ok) return run;
              const { findApps } = await import("#compose");
              const apps = await findApps(invocation.options.app, context.cwd);
              return apps.ok ? workOnRun(open, invocation, run.value, apps.value) : apps;
            })
          : withKernel(invocation, (open) => watch(open, invocation), { existing: true }),
      ),
    );
}

async function wanted({ kernel }: OpenKernel, invocation: Invocation<WatchOptions>) {
  const run_id = await runOf(kernel, invocation);
  if (!run_id.ok) return run_id;
  const run = await kernel.read.run(run_id.value);
  return run.ok ? ok({ run_id: run_id.value, app_id: run.value.app_id }) : run;
}

/** Only looks: a line of JSON per event for programs, the story for people. */
async function watch(open: OpenKernel, invocation: Invocation<WatchOptions>): Promise<Result<Answer>> {
  const run = await wanted(open, invocation);
  if (!run.ok) return run;
  const { context, json } = invocation;
  const story = json ? undefined : runOfAppStory(invocation, run.value, open);
  const followed = await followRun(open.kernel, run.value.run_id, {
    signal: whileRead(context),
    onEvent: (event) => (story ? story.onEvent(event) : context.stdout.write(`${JSON.stringify(event)}\n`)),
  });
  if (!followed.ok) return followed;
  await story?.end(followed.value);
  return ok({});
}
