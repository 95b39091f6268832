import type { PatchOperationV1 } from "#core/contracts";
import { applyOperations } from "./apply-operations.ts";
import { contentHash, seekSection } from "./find-section.ts";
import { frontMatter, valueHash } from "./operations/change-front-matter.ts";
import { SectionTree } from "./section-tree.ts";

/**
 * A patch that names its base revision but no expected content expects the content of that revision. Adds these expectations to
 * its operations, so that replacing or removing something that changed meanwhile is a conflict.
 */
export function pinToBase(base: string): (operations: readonly PatchOperationV1[]) => readonly PatchOperationV1[] {
  const tree = new SectionTree(base);
  return (operations) => {
    if (!operations.some(needsPin)) return operations;
    const pinned: PatchOperationV1[] = [];
    for (const operation of operations) {
      // Later operations refer to the result of the earlier ones.
      const begun = pinned.length > 0 ? applyOperations(tree, pinned) : null;
      pinned.push(begun ? operation : pin(tree, operation));
      if (pinned.length > 1) tree.rollback();
    }
    return pinned;
  };
}

function needsPin(operation: PatchOperationV1): boolean {
  switch (operation.op) {
    case "section.replace":
    case "section.delete":
    case "front_matter.set":
    case "front_matter.remove":
      return operation.expected_hash === undefined;
    default:
      return false;
  }
}

function pin(tree: SectionTree, operation: PatchOperationV1): PatchOperationV1 {
  if (!needsPin(operation)) return operation;
  switch (operation.op) {
    case "section.replace":
    case "section.delete": {
      const found = seekSection(tree, operation);
      return "section" in found ? { ...operation, expected_hash: contentHash(tree, found.section) } : operation;
    }
    case "front_matter.set":
    case "front_matter.remove": {
      const value = frontMatter(tree)[operation.key];
      return { ...operation, expected_hash: value === undefined ? null : valueHash(value) };
    }
    default:
      return operation;
  }
}
