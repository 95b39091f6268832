import type { Command } from "commander";
import type { Result, RunId } from "#base";
import type { OpenKernel } from "#compose";
import type { Kernel } from "#kernel";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { answerRun } from "./describe-run.ts";
import { subCommand } from "./sub-command.ts";

interface StartOptions extends KernelOptions {
  readonly app: string;
  readonly objective: string;
  readonly actor: string;
  readonly wait?: boolean;
}

const lookMs = 100;

export function add(runs: Command, context: CliContext): void {
  subCommand<StartOptions>(runs, context, { name: "start", description: "open a run for an app", work: start })
    .requiredOption("--app <id>", "the app that decides")
    .requiredOption("--objective <text>", "what the run is for")
    .option("--actor <id>", "in whose name", "user")
    .option("--wait", "wait until the run is closed");
}

async function start({ kernel }: OpenKernel, { options, context }: Invocation<StartOptions>): Promise<Result<Answer>> {
  const { app, objective, actor } = options;
  const started = await kernel.startRun({ app_id: app, objective, actor_id: actor });
  if (!started.ok) return started;
  if (options.wait) await untilClosed(kernel, started.value.run_id, context.signal);
  return answerRun(kernel, started.value.run_id);
}

async function untilClosed(kernel: Kernel, runId: RunId, signal: AbortSignal): Promise<void> {
  const listener = kernel.wakeUp.listen([`run:${runId}`]);
  while (!signal.aborted) {
    const run = await kernel.read.run(runId);
    if (!run.ok || run.value.status === "closed") break;
    await listener.wait(lookMs, signal);
  }
  listener.close();
}
