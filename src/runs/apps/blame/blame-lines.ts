import type { PatchOperationV1 } from "#core/contracts";
import { ok, type Result, type Sha256, sha256 } from "#core/values";
import { applyOperations } from "../document/apply-operations.ts";
import { linesOf, withoutBreak } from "../document/lines.ts";
import { carryOwners } from "../document/owners.ts";
import { pinToBase } from "../document/pin-to-base.ts";
import { SectionTree } from "../document/section-tree.ts";

/** A revision as blame needs it. */
export interface RevisionStep {
  readonly revision_id: string;
  readonly document: Sha256;
  /** In the order in which they were applied. */
  readonly patches: readonly {
    readonly patch_id: string;
    readonly base_revision_id: string | null;
    readonly ops: readonly PatchOperationV1[];
  }[];
  /** Read only where the patches do not explain the document, or a later patch was made on it. */
  readonly read: () => Promise<Result<string>>;
}

export interface LineOrigin {
  readonly revision_id: string;
  readonly patch_id: string | null;
}

export interface BlamedLine extends LineOrigin {
  readonly text: string;
}

/**
 * Rebuilds the document patch by patch and records the author of each line. A line that only moved keeps its author. Where an
 * app's document differs from what its patches produce, a new line belongs to the patch that contains the same text, or else
 * to the revision.
 */
export async function blameLines(steps: readonly RevisionStep[]): Promise<Result<readonly BlamedLine[]>> {
  const origins: LineOrigin[] = [];
  const bases = new Set(steps.flatMap(({ patches }) => patches.map((patch) => patch.base_revision_id)));
  const pins = new Map<string, ReturnType<typeof pinToBase>>();
  let tree = new SectionTree("", { tracksOwners: true });
  for (const step of steps) {
    const named = new Map<string, number>();
    for (const { patch_id, base_revision_id, ops } of step.patches) {
      tree.owner = origins.push({ revision_id: step.revision_id, patch_id }) - 1;
      named.set(patch_id, tree.owner);
      const pin = base_revision_id === null ? undefined : pins.get(base_revision_id);
      applyOperations(tree, pin ? pin(ops) : ops);
    }
    if (sha256(tree.text()) !== step.document) {
      const own = origins.push({ revision_id: step.revision_id, patch_id: null }) - 1;
      const document = await step.read();
      if (!document.ok) return document;
      tree = rewritten(tree, document.value, own, contentOwners(step, named));
    }
    if (bases.has(step.revision_id)) pins.set(step.revision_id, pinToBase(tree.text()));
  }
  const owners = tree.owners();
  return ok(
    linesOf(tree.text()).map((line, index) => ({
      text: withoutBreak(line),
      ...(origins[owners[index] ?? 0] ?? { revision_id: "", patch_id: null }),
    })),
  );
}

function rewritten(
  before: SectionTree,
  document: string,
  own: number,
  contents: ReadonlyMap<string, number>,
): SectionTree {
  const carried = carryOwners(before.text(), document, before.owners(), own);
  const lines = linesOf(document).map(withoutBreak);
  const owners = carried.map((owner, index) => (owner === own ? (contents.get(lines[index] ?? "") ?? own) : owner));
  return new SectionTree(document, { tracksOwners: true, owners });
}

/** The patch of each line of a file. Blank lines are skipped: they identify no patch. */
function contentOwners({ patches }: RevisionStep, named: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  for (const { patch_id, ops } of patches)
    for (const operation of ops)
      if (operation.op === "file.write")
        for (const line of linesOf(operation.content ?? "").map(withoutBreak))
          if (line.trim() !== "") owners.set(line, named.get(patch_id) ?? 0);
  return owners;
}
