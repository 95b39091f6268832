import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { describeRun } from "./describe-run.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface ShowOptions extends KernelOptions {
  readonly revision?: string;
}

export function add(runs: Command, context: CliContext): void {
  subCommand<ShowOptions>(runs, context, {
    name: "show <run>",
    description: "a run with its work items, patches and revisions; or its document",
    work: (open, invocation) => (invocation.options.revision === undefined ? show : showDocument)(open, invocation),
  }).option("--revision <revision>", "the document of this revision, as it is; `head` for the newest");
}

async function show({ kernel }: OpenKernel, invocation: Invocation<KernelOptions>): Promise<Result<Answer>> {
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const run = await kernel.read.run(runId.value);
  if (!run.ok) return run;
  const work_items = await kernel.read.workItems(runId.value);
  if (!work_items.ok) return work_items;
  const patches = await kernel.read.patches(runId.value);
  if (!patches.ok) return patches;
  const revisions = await kernel.read.revisions(runId.value);
  if (!revisions.ok) return revisions;
  const { table } = await import("../../output/table.ts");
  return ok({
    json: { run: run.value, work_items: work_items.value, patches: patches.value, revisions: revisions.value },
    text: (screen) =>
      describeRun(run.value, screen) +
      table(
        screen,
        ["work", "capability", "status", "objective"],
        work_items.value.map((item) => [item.work_id, item.capability, item.status, item.objective]),
      ) +
      `${patches.value.length} patches, ${revisions.value.length} revisions\n`,
  });
}

/** The document and nothing else, byte for byte, so that it can be kept, changed and proposed. */
async function showDocument(
  { kernel, documents }: OpenKernel,
  invocation: Invocation<ShowOptions>,
): Promise<Result<Answer>> {
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const { readRevision } = await import("#apps");
  const found = await readRevision(
    { read: kernel.read, documents },
    runId.value,
    invocation.options.revision ?? "head",
  );
  if (!found.ok) return found;
  const { revision, text } = found.value;
  return ok({ json: { revision, document: text }, document: text });
}
