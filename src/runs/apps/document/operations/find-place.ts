import { type Conflict, sectionName } from "../conflict.ts";
import { findSection, pathOf } from "../find-section.ts";
import type { Section, SectionTree } from "../section-tree.ts";

/** The parent section, the child to insert before (null: last), and the level. */
export interface Place {
  readonly parent: Section;
  readonly before: Section | null;
  readonly level: number;
}

export interface Placement {
  readonly after?: readonly string[] | null;
  readonly under?: readonly string[];
  readonly level?: number;
}

type FoundPlace = Place | { readonly conflict: Conflict };

/** Where a section goes. By default last, under the document's title if it has one. */
export function findPlace(tree: SectionTree, placement: Placement): FoundPlace {
  const anchors = findAnchors(tree, placement);
  return "conflict" in anchors ? anchors : placeBy(tree, placement, anchors);
}

export interface Anchors {
  readonly container: Section | null;
  readonly sibling: Section | null;
}

/** The sections that a placement names. */
export function findAnchors(tree: SectionTree, placement: Placement): Anchors | { readonly conflict: Conflict } {
  const container = placement.under ? findSection(tree, { section: placement.under }) : null;
  if (container && "conflict" in container) return container;
  const sibling = placement.after ? findSection(tree, { section: placement.after }) : null;
  if (sibling && "conflict" in sibling) return sibling;
  return { container: container?.section ?? null, sibling: sibling?.section ?? null };
}

export function placeBy(tree: SectionTree, placement: Placement, { container, sibling }: Anchors): FoundPlace {
  if (sibling) {
    if (container && sibling.parent !== container) return { conflict: notUnder(sibling, container) };
    const parent = container ?? sibling.parent ?? tree.root;
    return checked({ parent, before: sibling.next, level: placement.level ?? sibling.level });
  }
  const parent = container ?? (placement.level === 1 ? tree.root : (titleOf(tree) ?? tree.root));
  const isFirst = placement.after === null;
  const usual = parent.level > 0 ? parent.level + 1 : ((isFirst ? parent.first : parent.last)?.level ?? 2);
  return checked({ parent, before: isFirst ? parent.first : null, level: placement.level ?? usual });
}

/** A single heading of level 1 at the beginning of a document is its title, with the sections under it. */
function titleOf(tree: SectionTree): Section | null {
  const { first, last } = tree.root;
  return first && first === last && first.level === 1 ? first : null;
}

/** The level must fit the parent, or parsing the document again would move the section. */
function checked(place: Place): FoundPlace {
  const { parent, before, level } = place;
  const previous = before ? before.previous : parent.last;
  const refuse = (expected: string, found: string) => ({
    conflict: {
      kind: "breaks_structure" as const,
      section: pathOf(parent),
      expected,
      found,
      remedy: "Leave `level` out, or choose another place.",
    },
  });
  if (level > 6)
    return refuse("a level of at most 6", `${sectionName(pathOf(parent))} is of level ${parent.level} already`);
  if (level <= parent.level) return refuse(`a level below ${parent.level}`, `level ${level}, which would end it`);
  if (previous && previous.level < level)
    return refuse(
      `a level that keeps it beside "${previous.heading}"`,
      `level ${level}, which would make it a part of that section`,
    );
  if (before && before.level > level)
    return refuse(
      `a level that leaves "${before.heading}" where it is`,
      `level ${level}, which would take over the sections that follow`,
    );
  return place;
}

function notUnder(sibling: Section, container: Section): Conflict {
  return {
    kind: "section_missing",
    section: pathOf(sibling),
    expected: `it to stand directly under ${sectionName(pathOf(container))}`,
    found: `it under ${sectionName(pathOf(sibling.parent ?? container))}`,
    remedy: "Name the section that it follows, or the one that holds it; both only if they agree.",
  };
}
