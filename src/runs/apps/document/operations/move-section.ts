import { type Conflict, sectionName } from "../conflict.ts";
import { findUnchanged, pathOf } from "../find-section.ts";
import { type Section, type SectionTree, sectionsUnder } from "../section-tree.ts";
import { takeOut } from "./delete-section.ts";
import { findAnchors, placeBy } from "./find-place.ts";
import { putSection } from "./insert-section.ts";
import type { Operation } from "./operation.ts";
import { headingSource, oneSection } from "./section-source.ts";

/** Moves a section with everything under it; the headings get the level of the new place. */
export function moveSection(tree: SectionTree, operation: Operation<"section.move">): Conflict | null {
  const found = findUnchanged(tree, operation);
  if ("conflict" in found) return found.conflict;
  const { section } = found;
  const anchors = findAnchors(tree, operation);
  if ("conflict" in anchors) return anchors.conflict;
  for (const anchor of [anchors.container, anchors.sibling]) if (isWithin(anchor, section)) return intoItself(section);
  const members = [...sectionsUnder(section)];
  const before = { source: tree.textOf(section), path: pathOf(section), level: section.level };
  const outdated = takeOut(tree, section);
  if (outdated) return outdated;
  const place = placeBy(tree, operation, anchors);
  if ("conflict" in place) return place.conflict;
  const shift = place.level - before.level;
  const deepest = Math.max(...members.map((member) => member.level)) + shift;
  if (deepest > 6) return tooDeep(before.path, deepest);
  const source = shift === 0 ? before.source : members.map((member) => shifted(member, shift)).join("");
  const checked = oneSection(
    tree.piecesInPlaceOf(section, source.trimEnd() + tree.lineBreak),
    place.level,
    before.path,
  );
  return "conflict" in checked ? checked.conflict : putSection(tree, checked.pieces, place);
}

function isWithin(section: Section | null, holder: Section): boolean {
  for (let at = section; at; at = at.parent) if (at === holder) return true;
  return false;
}

function shifted(section: Section, shift: number): string {
  return headingSource(section.level + shift, section.heading) + section.text.slice(section.headingEnd);
}

function intoItself(section: Section): Conflict {
  return {
    kind: "breaks_structure",
    section: pathOf(section),
    expected: "a place outside of the section",
    found: `one within ${sectionName(pathOf(section))}`,
    remedy: "Name another section to follow or to be under.",
  };
}

function tooDeep(path: readonly string[], level: number): Conflict {
  return {
    kind: "breaks_structure",
    section: path,
    expected: "headings of level 6 at most",
    found: `one that would be of level ${level}`,
    remedy: "Move it to a place higher up, or take it apart first.",
  };
}
