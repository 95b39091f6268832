import type { Conflict } from "../conflict.ts";
import { findUnchanged } from "../find-section.ts";
import { trailingBlank } from "../lines.ts";
import { meet, sectionAfter, sectionBefore } from "../section-boundaries.ts";
import type { Section, SectionTree } from "../section-tree.ts";
import type { Operation } from "./operation.ts";

export function deleteSection(tree: SectionTree, operation: Operation<"section.delete">): Conflict | null {
  const found = findUnchanged(tree, operation);
  return "conflict" in found ? found.conflict : takeOut(tree, found.section);
}

/** Removes a section and closes the gap. If it was the last, the document keeps its trailing white space. */
export function takeOut(tree: SectionTree, section: Section): Conflict | null {
  const [before, after] = [sectionBefore(section), sectionAfter(section)];
  const tail = trailingBlank(tree.textOf(section));
  tree.remove(section);
  if (after) return meet(tree, before, after);
  const text = before.text.trimEnd();
  if (text !== "" && before.text !== text + tail) tree.setText(before, { ...before, text: text + tail });
  return null;
}
