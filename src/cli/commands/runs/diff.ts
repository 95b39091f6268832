import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface DiffOptions extends KernelOptions {
  readonly from?: string;
  readonly to: string;
}

export function add(runs: Command, context: CliContext): void {
  subCommand<DiffOptions>(runs, context, {
    name: "diff <run>",
    description: "what changed between two revisions of a run's document",
    work: diff,
  })
    .option("--from <revision>", "the older one (default: the parent of the newer one)")
    .option("--to <revision>", "the newer one", "head");
}

async function diff({ kernel, documents }: OpenKernel, invocation: Invocation<DiffOptions>): Promise<Result<Answer>> {
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const { readRevision, unifiedDifference } = await import("#apps");
  const sources = { read: kernel.read, documents };
  const after = await readRevision(sources, runId.value, invocation.options.to);
  if (!after.ok) return after;
  const older = invocation.options.from ?? after.value.revision.parent_revision_id;
  const before = older === null ? ok(null) : await readRevision(sources, runId.value, older);
  if (!before.ok) return before;
  const names = { before: before.value?.revision.revision_id ?? "nothing", after: after.value.revision.revision_id };
  const text = unifiedDifference(before.value?.text ?? "", after.value.text, names);
  return ok({
    json: { run_id: runId.value, from: before.value?.revision.revision_id ?? null, to: names.after, diff: text },
    document: text,
  });
}
