import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import { numberOption } from "../../number-option.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { eventLine } from "./event-line.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface EventsOptions extends KernelOptions {
  readonly after: string;
}

const most = 100_000;

export function add(runs: Command, context: CliContext): void {
  subCommand<EventsOptions>(runs, context, {
    name: "events <run>",
    description: "the history of a run",
    work: events,
  }).option("--after <seq>", "only what came later", "0");
}

async function events({ kernel }: OpenKernel, invocation: Invocation<EventsOptions>): Promise<Result<Answer>> {
  const after = numberOption("--after", invocation.options.after, { what: "the number of an event", least: 0 });
  if (!after.ok) return after;
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const found = await kernel.read.events(runId.value, { after: after.value, limit: most });
  if (!found.ok) return found;
  return ok({ json: { events: found.value }, text: () => found.value.map(eventLine).join("") });
}
