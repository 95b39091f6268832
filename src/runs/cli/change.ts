import type { Answer, Invocation } from "#core/commands";
import { type Command, text } from "#core/commands";
import type { Result, RunId } from "#core/values";
import type { Kernel } from "../kernel/kernel.ts";
import { answerRun } from "./describe-run.ts";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

interface ActorOptions {
  readonly actor: string;
}

interface CancelOptions extends ActorOptions {
  readonly message?: string;
}

interface Who {
  readonly run_id: RunId;
  readonly actor_id: string;
  readonly message?: string;
}

const actor = text("id", "in whose name", "user");

export const pause: Command<"existing kernel", RunParts, ActorOptions> = {
  name: "pause",
  summary: "hand out no more work of this run",
  needs: "existing kernel",
  json: "run, a run_v1",
  arguments: [runArgument],
  options: { actor },
  examplesTitle,
  examples: ["writ runs pause 7qk2"],
  exits: null,
  run: ({ kernel }, invocation) =>
    change(kernel, invocation, (who) => kernel.submit<"pause_run">({ kind: "pause_run", ...who })),
};

export const goOn: Command<"existing kernel", RunParts, ActorOptions> = {
  name: "continue",
  summary: "hand out work of this run again",
  needs: "existing kernel",
  json: "run, a run_v1",
  arguments: [runArgument],
  options: { actor },
  examplesTitle,
  examples: ["writ runs continue 7qk2"],
  exits: null,
  run: ({ kernel }, invocation) =>
    change(kernel, invocation, (who) => kernel.submit<"continue_run">({ kind: "continue_run", ...who })),
};

export const cancel: Command<"existing kernel", RunParts, CancelOptions> = {
  name: "cancel",
  summary: "close the run as canceled; open work is canceled with it",
  needs: "existing kernel",
  json: "run, a run_v1",
  arguments: [runArgument],
  options: { actor, message: text("text", "why") },
  examplesTitle,
  examples: ["writ runs cancel 7qk2"],
  exits: null,
  run: ({ kernel }, invocation) =>
    change(kernel, invocation, (who) => kernel.submit<"cancel_run">({ kind: "cancel_run", ...who })),
};

/** Applies a person's command to a run and answers with the changed run. */
async function change(
  kernel: Kernel,
  invocation: Invocation<CancelOptions>,
  submit: (who: Who) => Promise<Result<unknown>>,
): Promise<Result<Answer>> {
  const run_id = await runOf(kernel, invocation);
  if (!run_id.ok) return run_id;
  const { actor: actor_id, message } = invocation.options;
  const changed = await submit({ run_id: run_id.value, actor_id, ...(message === undefined ? {} : { message }) });
  return changed.ok ? answerRun(kernel, run_id.value) : changed;
}
