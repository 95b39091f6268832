import type { Command } from "#core/commands";
import type { PatchV1, RevisionV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { ok } from "#core/values";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

export const log: Command<"existing kernel", RunParts> = {
  name: "log",
  summary: "the revisions of a run's document, newest first, with the patches that each took or turned away",
  needs: "existing kernel",
  json: "revisions, each a revision_v1",
  arguments: [runArgument],
  options: {},
  examplesTitle,
  examples: ["writ runs log 7qk2"],
  exits: null,
  run: async ({ kernel }, invocation) => {
    const runId = await runOf(kernel, invocation);
    if (!runId.ok) return runId;
    const revisions = await kernel.read.revisions(runId.value);
    if (!revisions.ok) return revisions;
    const patches = await kernel.read.patches(runId.value);
    if (!patches.ok) return patches;
    const byId = new Map(patches.value.map((patch) => [patch.patch_id, patch]));
    const newest = [...revisions.value].reverse();
    return ok({
      json: { revisions: newest },
      text: (screen) =>
        newest.length === 0 ? "No document yet.\n" : newest.map((each) => entry(each, byId, screen)).join("\n"),
    });
  },
};

function entry(revision: RevisionV1, patches: ReadonlyMap<string, PatchV1>, screen: Screen): string {
  const who = (patchId: string): string => {
    const patch = patches.get(patchId);
    return patch
      ? `${patchId}  ${patch.author_kind} ${patch.author_id}  ${patch.ops.map(({ op }) => op).join(", ")}`
      : patchId;
  };
  const taken = revision.applied_patch_ids.map((patchId) => `  ${screen.sign.ok} ${who(patchId)}\n`);
  const away = revision.rejected_patch_ids.map((patchId) => {
    const reason = revision.rejections?.find((each) => each.patch_id === patchId)?.reason ?? "no reason was given";
    return `  ${screen.sign.bad} ${who(patchId)}\n      ${reason}\n`;
  });
  return `${screen.bold(revision.revision_id)}  ${screen.dim(revision.created_at)}\n${taken.join("")}${away.join("")}`;
}
