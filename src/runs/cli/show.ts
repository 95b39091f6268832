import type { Answer, Invocation } from "#core/commands";
import { type Command, text } from "#core/commands";
import { ok, type Result } from "#core/values";
import { describeRun } from "./describe-run.ts";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

interface ShowOptions {
  readonly revision?: string;
}

export const show: Command<"existing kernel", RunParts, ShowOptions> = {
  name: "show",
  summary: "a run with its work items, patches and revisions; or its document",
  needs: "existing kernel",
  json: "run, work_items, patches and revisions; with --revision the revision and its document",
  arguments: [runArgument],
  options: { revision: text("revision", "the document of this revision, as it is; `head` for the newest") },
  examplesTitle,
  examples: ["writ runs show 7qk2"],
  exits: null,
  run: (open, invocation) => (invocation.options.revision === undefined ? showRun : showDocument)(open, invocation),
};

async function showRun({ kernel }: RunParts, invocation: Invocation<object>): Promise<Result<Answer>> {
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
  const { table } = await import("../../core/terminal/table.ts");
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

/** Prints only the document, byte for byte, so that it can be saved, changed and proposed. */
async function showDocument(
  { kernel, documents }: RunParts,
  invocation: Invocation<ShowOptions>,
): Promise<Result<Answer>> {
  const runId = await runOf(kernel, invocation);
  if (!runId.ok) return runId;
  const { readRevision } = await import("../apps/read-revision.ts");
  const found = await readRevision(
    { read: kernel.read, documents },
    runId.value,
    invocation.options.revision ?? "head",
  );
  if (!found.ok) return found;
  const { revision, text } = found.value;
  return ok({ json: { revision, document: text }, document: text });
}
