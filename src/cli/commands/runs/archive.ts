import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import { daysMs } from "../../days.ts";
import { numberOption } from "../../number-option.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { subCommand } from "./sub-command.ts";

interface ArchiveOptions extends KernelOptions {
  readonly closedFor: string;
  readonly limit: string;
}

export function add(runs: Command, context: CliContext): void {
  subCommand<ArchiveOptions>(runs, context, {
    name: "archive",
    description: "move the records of runs that closed long ago into documents",
    work: archive,
  })
    .option("--closed-for <days>", "how long ago", "30")
    .option("--limit <n>", "at most so many", "100");
}

async function archive(
  { kernel, documents }: OpenKernel,
  { options }: Invocation<ArchiveOptions>,
): Promise<Result<Answer>> {
  const closedFor = daysMs("--closed-for", options.closedFor, { least: 0 });
  if (!closedFor.ok) return closedFor;
  const limit = numberOption("--limit", options.limit, { most: 1_000_000 });
  if (!limit.ok) return limit;
  const { archiveClosedRuns } = await import("#kernel");
  const wanted = { closedForMs: closedFor.value, limit: limit.value };
  const archived = await archiveClosedRuns(kernel, documents, wanted);
  if (!archived.ok) return archived;
  const lines = archived.value.map((each) => `${each.run_id} ${each.archive_ref}\n`).join("");
  return ok({ json: { archived: archived.value }, text: () => `${lines}${archived.value.length} archived\n` });
}
