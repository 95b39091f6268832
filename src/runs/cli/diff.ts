import { type Command, text } from "#core/commands";
import { ok } from "#core/values";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

interface DiffOptions {
  readonly from?: string;
  readonly to: string;
}

export const diff: Command<"existing kernel", RunParts, DiffOptions> = {
  name: "diff",
  summary: "what changed between two revisions of a run's document",
  needs: "existing kernel",
  json: "run_id, from, to and diff",
  arguments: [runArgument],
  options: {
    from: text("revision", "the older one (default: the parent of the newer one)"),
    to: text("revision", "the newer one", "head"),
  },
  examplesTitle,
  examples: ["writ runs diff 7qk2"],
  exits: null,
  run: async ({ kernel, documents }, invocation) => {
    const runId = await runOf(kernel, invocation);
    if (!runId.ok) return runId;
    const { readRevision } = await import("../apps/read-revision.ts");
    const { unifiedDifference } = await import("../apps/document/unified-difference.ts");
    const sources = { read: kernel.read, documents };
    const after = await readRevision(sources, runId.value, invocation.options.to);
    if (!after.ok) return after;
    const older = invocation.options.from ?? after.value.revision.parent_revision_id;
    const before = older === null ? ok(null) : await readRevision(sources, runId.value, older);
    if (!before.ok) return before;
    const names = { before: before.value?.revision.revision_id ?? "nothing", after: after.value.revision.revision_id };
    const difference = unifiedDifference(before.value?.text ?? "", after.value.text, names);
    return ok({
      json: {
        run_id: runId.value,
        from: before.value?.revision.revision_id ?? null,
        to: names.after,
        diff: difference,
      },
      document: difference,
    });
  },
};
