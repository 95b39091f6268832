import type { PatchOperationV1 } from "#core/contracts";
import { unreachable } from "#core/values";
import { type Conflict, explainConflict } from "./conflict.ts";
import { changeFrontMatter } from "./operations/change-front-matter.ts";
import { deleteSection } from "./operations/delete-section.ts";
import { editText } from "./operations/edit-text.ts";
import { insertSection } from "./operations/insert-section.ts";
import { moveSection } from "./operations/move-section.ts";
import { replaceSection } from "./operations/replace-section.ts";
import type { SectionTree } from "./section-tree.ts";

export interface Refusal {
  readonly conflict: Conflict;
  readonly operation: number;
  /** The conflict as a message. */
  readonly reason: string;
}

/** Applies operations in order, all of them or none: each sees the result of those before it. */
export function applyOperations(tree: SectionTree, operations: readonly PatchOperationV1[]): Refusal | null {
  tree.begin();
  for (const [index, operation] of operations.entries()) {
    const conflict = applyOperation(tree, operation);
    if (!conflict) continue;
    tree.rollback();
    return { conflict, operation: index, reason: explainConflict(conflict, operation, index) };
  }
  return null;
}

function applyOperation(tree: SectionTree, operation: PatchOperationV1): Conflict | null {
  switch (operation.op) {
    case "section.insert":
      return insertSection(tree, operation);
    case "section.replace":
      return replaceSection(tree, operation);
    case "section.delete":
      return deleteSection(tree, operation);
    case "section.move":
      return moveSection(tree, operation);
    case "text.edit":
      return editText(tree, operation);
    case "front_matter.set":
    case "front_matter.remove":
      return changeFrontMatter(tree, operation);
    case "file.write":
    case "file.delete":
      return {
        kind: "wrong_document",
        section: null,
        expected: "operations on sections, text or front matter",
        found: `one on the file ${operation.path}`,
        remedy: "Files belong to runs of the code-change app; this run keeps one Markdown document.",
      };
    default:
      return unreachable(operation);
  }
}
