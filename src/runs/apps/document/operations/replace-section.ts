import type { Conflict } from "../conflict.ts";
import { findSection, findUnchanged, pathOf } from "../find-section.ts";
import { trailingBlank } from "../lines.ts";
import { scanHeadings } from "../scan-headings.ts";
import { lastUnder, meet, sectionAfter, sectionBefore } from "../section-boundaries.ts";
import type { Section, SectionTree } from "../section-tree.ts";
import type { Operation } from "./operation.ts";
import { bodySource, headingSource, oneSection } from "./section-source.ts";

/** Replaces everything under the heading by the body; the heading stays verbatim unless a new one is given. */
export function replaceSection(tree: SectionTree, operation: Operation<"section.replace">): Conflict | null {
  const found = findSection(tree, operation);
  if ("conflict" in found) return found.conflict;
  const { section } = found;
  if (section.level === 0) return replaceOpening(tree, operation);
  const whole = tree.textOf(section);
  const source = replacedSource(tree, section, whole, operation);
  if (source === whole) return null; // the document already contains the change
  const unchanged = findUnchanged(tree, operation);
  if ("conflict" in unchanged) return unchanged.conflict;
  const checked = oneSection(tree.piecesInPlaceOf(section, source), section.level, pathOf(section));
  if ("conflict" in checked) return checked.conflict;
  return swapSection(tree, section, checked.pieces);
}

/** Replaces a section by other chunks. */
export function swapSection(
  tree: SectionTree,
  section: Section,
  pieces: Parameters<SectionTree["insert"]>[0],
): Conflict | null {
  const { parent, next } = section;
  tree.remove(section);
  const made = tree.insert(pieces, parent ?? tree.root, next);
  return meet(tree, sectionBefore(made), made) ?? meet(tree, lastUnder(made), sectionAfter(made));
}

function replacedSource(
  tree: SectionTree,
  section: Section,
  whole: string,
  operation: Operation<"section.replace">,
): string {
  const { lineBreak } = tree;
  const rest = whole.slice(section.headingEnd);
  const body = bodySource(tree, operation.body);
  const heading =
    operation.heading === undefined || operation.heading.trim() === section.heading
      ? section.text.slice(0, section.headingEnd)
      : headingSource(section.level, operation.heading);
  const tail = trailingBlank(rest) || (sectionAfter(section) ? lineBreak : "");
  if (body === "") return heading + tail;
  const gap = rest.trim() === "" ? lineBreak + lineBreak : (/^(?:[ \t]*(?:\r\n|\n|\r))+/.exec(rest)?.[0] ?? lineBreak);
  return heading + gap + body + tail;
}

/** Replaces the text before the first heading, verbatim. */
function replaceOpening(tree: SectionTree, operation: Operation<"section.replace">): Conflict | null {
  const opening = tree.root;
  const { body } = operation;
  if (body === opening.text) return null;
  const unchanged = findUnchanged(tree, operation);
  if ("conflict" in unchanged) return unchanged.conflict;
  const rest = tree.text().slice(tree.lead.length + opening.text.length);
  const gap = rest === "" || body === "" || /[\r\n]$/.test(body) ? "" : tree.lineBreak + tree.lineBreak;
  if (rest !== "" && !scanHeadings(body).isClosed)
    return {
      kind: "breaks_structure",
      section: [],
      expected: "text that ends before the first section begins",
      found: "text that ends inside a code fence or an HTML block",
      remedy: "Close it first.",
    };
  tree.replant(tree.lead + body + gap + rest);
  return null;
}
