import { type Sha256, sha256, suggest } from "#core/values";
import { type Conflict, glimpse, sectionName } from "./conflict.ts";
import type { Section, SectionTree } from "./section-tree.ts";

/** How an operation addresses a section. */
export interface SectionAddress {
  readonly section: readonly string[];
  readonly occurrence?: number;
  readonly expected_hash?: string;
}

export type Found = { readonly section: Section } | { readonly conflict: Conflict };

/** The section of an address, or the number of candidates. */
export type Sought = { readonly section: Section } | { readonly count: number };

/**
 * Finds the section by its whole path, then by a suffix of it, then, if it moved or a parent was renamed, by heading and
 * content. More than one match is a conflict, unless content or `occurrence` distinguishes them.
 */
export function findSection(tree: SectionTree, address: SectionAddress): Found {
  const sought = seekSection(tree, address);
  if ("section" in sought) return sought;
  const { section, occurrence } = address;
  return { conflict: sought.count === 0 ? missing(tree, section) : ambiguous(section, sought.count, occurrence) };
}

/** The same without an explanation, which would read the whole document. */
export function seekSection(tree: SectionTree, address: SectionAddress): Sought {
  const path = address.section;
  if (path.length === 0) return { section: tree.root };
  const named = [...tree.headed(path.at(-1) ?? "")];
  const whole = named.filter((section) => isPath(section, path, true));
  const tails = whole.length > 0 ? whole : named.filter((section) => isPath(section, path, false));
  const same = (section: Section) => contentHash(tree, section) === address.expected_hash;
  const candidates = tails.length > 0 || address.expected_hash === undefined ? tails : named.filter(same);
  const [only, another] = candidates;
  if (!only) return { count: 0 };
  if (!another) return { section: only };
  const alike = address.expected_hash === undefined ? [] : candidates.filter(same);
  if (alike.length === 1 && alike[0]) return { section: alike[0] };
  const chosen = address.occurrence === undefined ? undefined : inOrder(tree, candidates)[address.occurrence - 1];
  return chosen ? { section: chosen } : { count: candidates.length };
}

/** The same, and its content must match the operation's expected hash. */
export function findUnchanged(tree: SectionTree, address: SectionAddress): Found {
  const found = findSection(tree, address);
  if ("conflict" in found || address.expected_hash === undefined) return found;
  return contentHash(tree, found.section) === address.expected_hash
    ? found
    : { conflict: changed(tree, address.section, found.section) };
}

/** What `expected_hash` means: the source of a section and all under it, without white space at the end. */
export function contentHash(tree: SectionTree, section: Section): Sha256 {
  return sha256(contentOf(tree, section).trimEnd());
}

/** The text before the first heading contains no sections. */
function contentOf(tree: SectionTree, section: Section): string {
  return section.level === 0 ? section.text : tree.textOf(section);
}

/** Headings from the top down to the section. */
export function pathOf(section: Section): string[] {
  const path: string[] = [];
  for (let at: Section | null = section; at && at.level > 0; at = at.parent) path.unshift(at.heading);
  return path;
}

/** An address that finds only this section in the current document. */
export function addressOf(tree: SectionTree, section: Section): { section: string[]; occurrence?: number } {
  const path = pathOf(section);
  const alike = [...tree.headed(section.heading)].filter((other) => isPath(other, path, true));
  if (section.level === 0 || alike.length < 2) return { section: path };
  return { section: path, occurrence: inOrder(tree, alike).indexOf(section) + 1 };
}

function isPath(section: Section, path: readonly string[], toTheTop: boolean): boolean {
  let at: Section | null = section;
  for (let index = path.length - 1; index >= 0; index -= 1) {
    if (!at || at.level === 0 || at.heading !== path[index]) return false;
    at = at.parent;
  }
  return !toTheTop || at?.level === 0;
}

function inOrder(tree: SectionTree, sections: readonly Section[]): readonly Section[] {
  const wanted = new Set(sections);
  return [...tree.sections()].filter((section) => wanted.has(section));
}

function missing(tree: SectionTree, path: readonly string[]): Conflict {
  const headings = [...tree.sections()].filter((section) => section.level > 0).map((section) => section.heading);
  const near = suggest(path.at(-1) ?? "", headings);
  return {
    kind: "section_missing",
    section: path,
    expected: "a section with this path",
    found: near === undefined ? "none, it was renamed or removed" : `none, the nearest heading is "${near}"`,
    remedy: "Read the document again and name a section that it has.",
  };
}

function ambiguous(path: readonly string[], count: number, occurrence: number | undefined): Conflict {
  return {
    kind: "section_ambiguous",
    section: path,
    expected:
      occurrence === undefined ? "one section with this path" : `at least ${occurrence} sections with this path`,
    found: `${count} of them`,
    remedy: "Give the whole path from the top, or say which one with `occurrence`.",
  };
}

function changed(tree: SectionTree, path: readonly string[], section: Section): Conflict {
  return {
    kind: "section_changed",
    section: path,
    expected: `the content that the patch was made for in ${sectionName(path)}`,
    found: `other content, changed meanwhile: ${glimpse(contentOf(tree, section).slice(section.headingEnd))}`,
    remedy: "Read the section as it stands now and make the change again on top of it.",
  };
}
