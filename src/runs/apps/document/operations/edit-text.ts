import type { Conflict } from "../conflict.ts";
import { findSection, pathOf } from "../find-section.ts";
import { withBreaks } from "../lines.ts";
import { meet, sectionAfter, sectionBefore } from "../section-boundaries.ts";
import type { Chunk, Section, SectionTree } from "../section-tree.ts";
import { locate, type TextSpan } from "./locate.ts";
import type { Operation } from "./operation.ts";
import { swapSection } from "./replace-section.ts";
import { oneSection } from "./section-source.ts";

/** Changes a passage in place, found by its text and its context. */
export function editText(tree: SectionTree, operation: Operation<"text.edit">): Conflict | null {
  if (operation.section === undefined) {
    const text = tree.text();
    const span = locate(text, operation, tree.lineBreak);
    if ("kind" in span) return span;
    if (!span.isMade) tree.replant(spliced(text, span));
    return null;
  }
  const found = findSection(tree, { ...operation, section: operation.section });
  if ("conflict" in found && found.conflict.kind !== "section_missing") return found.conflict;
  const section = "conflict" in found ? holderOf(tree, operation) : found.section;
  if (!section) return "conflict" in found ? found.conflict : null;
  const own = locate(section.text, operation, tree.lineBreak);
  if (!("kind" in own)) return own.isMade ? null : changeOwnText(tree, section, spliced(section.text, own));
  if (own.kind === "text_ambiguous" || section.level === 0) return own;
  // The passage is not in the section's own text: it is in the sections below, or extends into them.
  const whole = tree.textOf(section);
  const span = locate(whole, operation, tree.lineBreak);
  if ("kind" in span) return span;
  return span.isMade ? null : changeWhole(tree, section, spliced(whole, span));
}

/** A passage of this length identifies itself without context. */
const tellingLength = 20;

/** Finds a renamed section by the passage, with its context or alone, if only one section contains it. */
function holderOf(tree: SectionTree, { find, before = "", after = "" }: Operation<"text.edit">): Section | null {
  for (const words of [before + find + after, find]) {
    const passage = withBreaks(words, tree.lineBreak);
    if (passage.length < tellingLength) continue;
    const [holder, another] = [...tree.sections()].filter(({ level, text }) => level > 0 && text.includes(passage));
    if (holder && !another) return holder;
  }
  return null;
}

function spliced(text: string, span: TextSpan): string {
  return text.slice(0, span.start) + span.replace + text.slice(span.end);
}

function changeOwnText(tree: SectionTree, section: Section, text: string): Conflict | null {
  if (section.level === 0) return changeDocument(tree, section, text);
  const pieces = tree.pieces(text);
  const [head, top, another] = pieces;
  if (another || !top || head?.text !== "" || top.level !== section.level || !top.isClosed)
    return changeWhole(tree, section, text + tree.textOf(section).slice(section.text.length));
  const isHeadingKept = text.startsWith(section.text.slice(0, section.headingEnd));
  tree.setText(section, top);
  const following = section.first ?? sectionAfter(section);
  return (isHeadingKept ? null : meet(tree, sectionBefore(section), section)) ?? meet(tree, section, following);
}

/** The change may add or remove headings, so the section is parsed again, or the document if it is no longer one section. */
function changeWhole(tree: SectionTree, section: Section, source: string): Conflict | null {
  const pieces = tree.piecesInPlaceOf(section, source);
  const checked = oneSection(pieces, section.level, pathOf(section));
  if (!("conflict" in checked)) return swapSection(tree, section, checked.pieces);
  if (sectionAfter(section) && !isClosed(pieces)) return checked.conflict;
  return changeDocument(tree, section, source);
}

function isClosed(pieces: readonly Chunk[]): boolean {
  return pieces.at(-1)?.isClosed ?? true;
}

function changeDocument(tree: SectionTree, section: Section, source: string): Conflict | null {
  let before = tree.lead;
  for (const each of tree.sections()) {
    if (each === section) break;
    before += each.text;
  }
  const replaced = section.level === 0 ? section.text : tree.textOf(section);
  tree.replant(before + source + tree.text().slice(before.length + replaced.length));
  return null;
}
