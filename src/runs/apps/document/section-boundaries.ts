import { type Conflict, sectionName } from "./conflict.ts";
import { pathOf } from "./find-section.ts";
import { endsBlank } from "./lines.ts";
import { scanHeadings } from "./scan-headings.ts";
import type { Section, SectionTree } from "./section-tree.ts";

/** The section whose own text directly precedes this one's. */
export function sectionBefore(section: Section): Section {
  return section.previous ? lastUnder(section.previous) : (section.parent ?? section);
}

/** The section after this one and everything under it. */
export function sectionAfter(section: Section): Section | null {
  for (let at: Section | null = section; at; at = at.parent) if (at.next) return at.next;
  return null;
}

export function lastUnder(section: Section): Section {
  let last = section;
  while (last.last) last = last.last;
  return last;
}

/** Appends a line break and a blank line, so that a section may follow. */
export function padEnd(tree: SectionTree, section: Section): Conflict | null {
  if (!section.isClosed) return open(section);
  const pad = padding(section.text, tree.lineBreak);
  if (pad !== "") tree.setText(section, { ...section, text: section.text + pad });
  return padLead(tree);
}

/** Ensures that the first section starts on its own line, also after front matter. */
function padLead(tree: SectionTree): Conflict | null {
  const needsBreak = tree.root.text === "" && /[^\uFEFF]$/.test(tree.lead) && !/[\r\n]$/.test(tree.lead);
  if (needsBreak) tree.setLead(tree.lead + tree.lineBreak);
  return null;
}

function padding(text: string, lineBreak: string): string {
  if (endsBlank(text)) return "";
  return /[\r\n]$/.test(text) ? lineBreak : lineBreak + lineBreak;
}

const plainHeading = /^#{1,6}(?:[ \t\r\n]|$)/;

/**
 * Checks two sections that have become neighbours: an unfinished HTML block or a paragraph before the second would swallow its
 * heading. Inserts a blank line only where that is needed.
 */
export function meet(tree: SectionTree, left: Section, right: Section | null): Conflict | null {
  if (!right) return null;
  if (!left.isClosed) return open(left);
  if (endsBlank(left.text) && plainHeading.test(right.text)) return null;
  if (holds(left.text, right)) return null;
  const text = left.text + padding(left.text, tree.lineBreak);
  if (!holds(text, right)) return swallowed(left, right);
  tree.setText(left, { ...left, text });
  return null;
}

function holds(text: string, right: Section): boolean {
  const heading = right.text.slice(0, right.headingEnd);
  return scanHeadings(text + heading).headings.some(
    ({ start, level, end }) => start === text.length && level === right.level && end === text.length + heading.length,
  );
}

function open(section: Section): Conflict {
  return {
    kind: "breaks_structure",
    section: pathOf(section),
    expected: "text that ends before the next section begins",
    found: `${sectionName(pathOf(section))} ends inside a code fence or an HTML block`,
    remedy: "Close it first.",
  };
}

function swallowed(left: Section, right: Section): Conflict {
  return {
    kind: "breaks_structure",
    section: pathOf(left),
    expected: `${sectionName(pathOf(right))} to stay a section`,
    found: "text before it that would swallow its heading",
    remedy: "End the text before it with a blank line, or write its heading with # marks at the beginning of a line.",
  };
}
