import type { Conflict } from "../conflict.ts";
import { pathOf } from "../find-section.ts";
import { lastUnder, meet, padEnd, sectionAfter, sectionBefore } from "../section-boundaries.ts";
import type { Chunk, SectionTree } from "../section-tree.ts";
import { findPlace, type Place } from "./find-place.ts";
import type { Operation } from "./operation.ts";
import { bodySource, headingSource, oneSection } from "./section-source.ts";

export function insertSection(tree: SectionTree, operation: Operation<"section.insert">): Conflict | null {
  const place = findPlace(tree, operation);
  if ("conflict" in place) return place.conflict;
  const path = [...pathOf(place.parent), operation.heading];
  const { lineBreak } = tree;
  const body = bodySource(tree, operation.body);
  const heading = headingSource(place.level, operation.heading) + lineBreak;
  const checked = oneSection(
    tree.pieces(body === "" ? heading : heading + lineBreak + body + lineBreak),
    place.level,
    path,
  );
  return "conflict" in checked ? checked.conflict : putSection(tree, checked.pieces, place);
}

/** Inserts a whole section with a blank line on either side. */
export function putSection(tree: SectionTree, pieces: readonly Chunk[], place: Place): Conflict | null {
  const made = tree.insert(pieces, place.parent, place.before);
  const following = sectionAfter(made);
  return (
    padEnd(tree, sectionBefore(made)) ??
    (following ? padEnd(tree, lastUnder(made)) : null) ??
    meet(tree, sectionBefore(made), made) ??
    meet(tree, lastUnder(made), following)
  );
}
