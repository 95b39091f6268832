import type { Answer, Invocation } from "#core/commands";
import { type Command, flag, type Opens, texts, whileRead } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { WorkspaceModules } from "../apps/workspace-modules.ts";
import { followRun } from "../story/follow-run.ts";
import { runOfAppStory } from "../story/run-of-app-story.ts";
import { runOf } from "./run-of.ts";
import { type RunParts, runArgument } from "./run-parts.ts";
import { type WorkOnRunParts, workOnRun } from "./work-on-run.ts";

interface WatchParts {
  readonly "existing kernel": Opens<RunParts>;
  readonly workerPool: Opens<WorkOnRunParts & { readonly modules: () => Promise<WorkspaceModules> }>;
}

interface WatchOptions {
  readonly work?: boolean;
  readonly app?: readonly string[];
}

export const watch: Command<"choice", WatchParts, WatchOptions> = {
  name: "watch",
  summary: "tell a run as it happens, until it is closed; with --work also conduct it and do its work",
  needs: "choice",
  json: "a line per event, each an event_log_v1; with --work run, a run_v1",
  arguments: [runArgument],
  options: {
    work: flag("take the run up here: nothing that was done is done again"),
    app: texts("module", "apps of your own, for --work"),
  },
  examples: ["writ runs watch 7qk2", "writ runs watch 7qk2 --work"],
  exits: { 4: "with --work: the run closed as blocked" },
  run: (opens, invocation) =>
    invocation.options.work
      ? opens.workerPool(async (open) => {
          const run = await wanted(open, invocation);
          if (!run.ok) return run;
          const { findApps } = await import("../find-apps.ts");
          const apps = await findApps(invocation.options.app, open.modules);
          return apps.ok ? workOnRun(open, invocation, run.value, apps.value) : apps;
        })
      : opens["existing kernel"]((open) => follow(open, invocation)),
};

async function wanted({ kernel }: RunParts, invocation: Invocation<WatchOptions>) {
  const run_id = await runOf(kernel, invocation);
  if (!run_id.ok) return run_id;
  const run = await kernel.read.run(run_id.value);
  return run.ok ? ok({ run_id: run_id.value, app_id: run.value.app_id }) : run;
}

/** Follows the run without working on it: a line of JSON per event for programs, the story for people. */
async function follow(open: RunParts, invocation: Invocation<WatchOptions>): Promise<Result<Answer>> {
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
