import type { Section } from "./section-tree.ts";

export interface SectionMatch {
  readonly removed: readonly Section[];
  /** From each kept section in the new list to the one in the old list. */
  readonly kept: ReadonlyMap<Section, Section>;
}

/**
 * Matches the sections of two lists: first by heading, the nth of a name to the nth; then, in the gaps, renamed sections with
 * the same content.
 */
export function matchSections(old: readonly Section[], fresh: readonly Section[]): SectionMatch {
  const byName = new Map<string, Section[]>();
  for (const section of old) byName.set(nameOf(section), [...(byName.get(nameOf(section)) ?? []), section]);
  const kept = new Map<Section, Section>();
  for (const section of fresh) {
    const match = byName.get(nameOf(section))?.shift();
    if (match) kept.set(section, match);
  }
  const taken = new Set(kept.values());
  const left = old.filter((section) => !taken.has(section));
  for (const section of fresh) {
    if (kept.has(section)) continue;
    const renamed = left.find(
      (other) => !taken.has(other) && other.level === section.level && sayTheSame(other, section),
    );
    if (!renamed) continue;
    kept.set(section, renamed);
    taken.add(renamed);
  }
  return { removed: left.filter((section) => !taken.has(section)), kept };
}

function nameOf({ level, heading }: Section): string {
  return `${level} ${heading}`;
}

function sayTheSame(left: Section, right: Section): boolean {
  const text = left.text.slice(left.headingEnd).trim();
  return text !== "" && text === right.text.slice(right.headingEnd).trim();
}
