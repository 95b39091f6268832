import type { PatchOperationV1 } from "#core/contracts";
import type { JsonValue } from "#core/values";
import { applyOperations } from "./apply-operations.ts";
import { editsBetween } from "./edits-between.ts";
import { addressOf, contentHash, pathOf } from "./find-section.ts";
import { matchSections } from "./match-sections.ts";
import { frontMatter, valueHash } from "./operations/change-front-matter.ts";
import { type Section, SectionTree } from "./section-tree.ts";

/**
 * The operations that turn one document into another: sections added, removed and moved, and text edits inside the remaining
 * sections, so that the change still applies after concurrent changes elsewhere. Applied to `before` they give `after` byte
 * for byte; where section operations cannot express the change, text edits of the whole document do.
 */
export function difference(before: string, after: string): readonly PatchOperationV1[] {
  if (before === after) return [];
  for (const attempt of [bySections, byPassages]) {
    const operations = attempt(before, after);
    if (operations && leadsTo(before, operations, after)) return operations;
  }
  return before === ""
    ? [{ op: "section.replace", section: [], body: after }]
    : [{ op: "text.edit", find: before, replace: after }];
}

function leadsTo(before: string, operations: readonly PatchOperationV1[], after: string): boolean {
  const tree = new SectionTree(before);
  return applyOperations(tree, operations) === null && tree.text() === after;
}

function byPassages(before: string, after: string): readonly PatchOperationV1[] {
  return editsBetween(before, after).map((edit) => ({ op: "text.edit", ...edit }));
}

/** Each operation is also applied to a draft, so that the next one addresses its section by the current name. */
function bySections(before: string, after: string): readonly PatchOperationV1[] | null {
  const draft = new SectionTree(before);
  const wanted = new SectionTree(after);
  const made: PatchOperationV1[] = [];
  const say = (operation: PatchOperationV1): boolean => {
    const isApplied = applyOperations(draft, [operation]) === null;
    if (isApplied) made.push(operation);
    return isApplied;
  };
  const isDone =
    frontMatterChanges(draft, wanted).every(say) && alignSections({ draft, wanted, say }, draft.root, wanted.root);
  return isDone ? made : null;
}

type Say = (operation: PatchOperationV1) => boolean;

/** The draft, the goal, and the function that adds an operation and applies it to the draft. */
interface Alignment {
  readonly draft: SectionTree;
  readonly wanted: SectionTree;
  readonly say: Say;
}

function frontMatterChanges(draft: SectionTree, wanted: SectionTree): readonly PatchOperationV1[] {
  if (draft.lead === wanted.lead) return [];
  const [old, fresh] = [frontMatter(draft), frontMatter(wanted)];
  const hash = (key: string) => ({ expected_hash: key in old ? valueHash(old[key] as JsonValue) : null });
  const removed = Object.keys(old).filter((key) => !(key in fresh));
  const changed = Object.keys(fresh).filter((key) => JSON.stringify(fresh[key]) !== JSON.stringify(old[key]));
  return [
    ...removed.map((key): PatchOperationV1 => ({ op: "front_matter.remove", key, ...hash(key) })),
    ...changed.map((key): PatchOperationV1 => ({ op: "front_matter.set", key, value: fresh[key], ...hash(key) })),
  ];
}

/** Aligns the children of a section with those of the goal, then its own text. Children first: their address has the parent's name. */
function alignSections(alignment: Alignment, section: Section, goal: Section): boolean {
  const { draft, wanted, say } = alignment;
  const { removed, kept } = matchSections(childrenOf(section), childrenOf(goal));
  for (const gone of removed)
    if (!say({ op: "section.delete", ...addressOf(draft, gone), expected_hash: contentHash(draft, gone) }))
      return false;
  let previous: Section | null = null;
  for (const child of childrenOf(goal)) {
    const match = kept.get(child);
    const isInPlace: boolean = match !== undefined && match.previous === previous;
    if (match === undefined && !say(insertion(section, previous, wanted, child))) return false;
    if (match !== undefined && !isInPlace && !say(relocation(draft, section, previous, match))) return false;
    // A moved or inserted section comes right after the previous one.
    const placed: Section | null = isInPlace ? (match ?? null) : previous ? previous.next : section.first;
    if (placed === null) return false;
    if (match !== undefined && !alignSections(alignment, placed, child)) return false;
    // Aligning its text may have replaced it by another node in the same place.
    previous = previous ? previous.next : section.first;
  }
  return alignText(draft, section, goal, say);
}

function alignText(draft: SectionTree, section: Section, goal: Section, say: Say): boolean {
  if (section.text === goal.text) return true;
  if (section.text === "") return say({ op: "section.replace", section: [], body: goal.text });
  return editsBetween(section.text, goal.text).every((edit) =>
    say({ op: "text.edit", ...addressOf(draft, section), ...edit }),
  );
}

function insertion(parent: Section, previous: Section | null, wanted: SectionTree, child: Section): PatchOperationV1 {
  const body = wanted.textOf(child).slice(child.headingEnd);
  return {
    op: "section.insert",
    ...placeOf(parent, previous),
    heading: child.heading,
    level: child.level,
    body,
  };
}

function relocation(draft: SectionTree, parent: Section, previous: Section | null, section: Section): PatchOperationV1 {
  return { op: "section.move", ...addressOf(draft, section), ...placeOf(parent, previous) };
}

function placeOf(parent: Section, previous: Section | null): { after: string[] | null; under?: string[] } {
  const under = parent.level === 0 ? {} : { under: pathOf(parent) };
  return previous ? { after: pathOf(previous) } : { after: null, ...under };
}

function childrenOf(section: Section): readonly Section[] {
  const children: Section[] = [];
  for (let child = section.first; child; child = child.next) children.push(child);
  return children;
}
