import type { PatchOperationV1 } from "#core/contracts";
import { applyOperations } from "./apply-operations.ts";
import { SectionTree } from "./section-tree.ts";

export interface PatchToApply {
  readonly patch_id: string;
  readonly ops: readonly PatchOperationV1[];
}

export interface Integration {
  readonly text: string;
  readonly applied: readonly string[];
  readonly rejections: readonly { readonly patch_id: string; readonly reason: string }[];
}

/** Applies patches in the given order, each whole or not at all; a conflicting one is rejected with its reason. */
export function applyPatches(document: string, patches: readonly PatchToApply[]): Integration {
  const tree = new SectionTree(document);
  const applied: string[] = [];
  const rejections: { patch_id: string; reason: string }[] = [];
  for (const { patch_id, ops } of patches) {
    const refusal = applyOperations(tree, ops);
    if (refusal) rejections.push({ patch_id, reason: refusal.reason });
    else applied.push(patch_id);
  }
  return { text: tree.text(), applied, rejections };
}
