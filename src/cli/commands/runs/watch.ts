import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { eventLine } from "./event-line.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

const page = 1_000;
/** Other processes ring no bell here. */
const lookMs = 100;

export function add(runs: Command, context: CliContext): void {
  subCommand(runs, context, {
    name: "watch <run>",
    description: "the history of a run as it grows, until it is closed",
    work: watch,
  });
}

/** Prints each event as it comes: a line of JSON for programs, a line of words for people. */
async function watch({ kernel }: OpenKernel, invocation: Invocation<KernelOptions>): Promise<Result<Answer>> {
  const { context, json } = invocation;
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const listener = kernel.wakeUp.listen([`run:${runId.value}`]);
  for (let after = 0; ; ) {
    const run = await kernel.read.run(runId.value);
    if (!run.ok) return run;
    const found = await kernel.read.events(runId.value, { after, limit: page });
    if (!found.ok) return found;
    for (const event of found.value) context.stdout.write(json ? `${JSON.stringify(event)}\n` : eventLine(event));
    after = found.value.at(-1)?.seq ?? after;
    if (found.value.length > 0) continue;
    if (run.value.status === "closed" || context.signal.aborted) break;
    await listener.wait(lookMs, context.signal);
  }
  listener.close();
  return ok({});
}
