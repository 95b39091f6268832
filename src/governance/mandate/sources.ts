import type { MandateV1 } from "#core/contracts";
import { compileGlob, type Glob } from "../paths/glob.ts";
import { type Clause, clauseText, type Decision } from "./act.ts";

/** One document's word about a kind of act: one of its lists has to name the thing. */
export interface Source {
  readonly document: string;
  readonly lists: readonly { readonly path: string; readonly patterns: readonly string[] }[];
}

/** Decides one kind of act by its sources, every one of which has to name the thing. */
export interface Sources {
  decide(name: string): Decision;
  readonly count: number;
}

type Matches = (name: string) => boolean;

/** The first pattern of a source that names the thing, with its place. */
interface NamingList extends Clause {
  readonly entries: readonly { readonly pattern: string; readonly matches: Matches }[];
}

export function compileSources(sources: readonly Source[], matcherOf: (pattern: string) => Matches): Sources {
  const compiled = sources.map(({ document, lists }) =>
    lists.map(
      ({ path, patterns }): NamingList => ({
        document,
        path,
        entries: patterns.map((pattern) => ({ pattern, matches: matcherOf(pattern) })),
      }),
    ),
  );
  return {
    count: sources.length,
    decide(name) {
      const granting: (Clause & { readonly pattern: string })[] = [];
      const silent: (readonly NamingList[])[] = [];
      for (const lists of compiled) {
        const found = firstNaming(lists, name);
        if (found) granting.push(found);
        else silent.push(lists);
      }
      if (silent.length > 0 || compiled.length === 0) return refusal(silent);
      return {
        allowed: true,
        clauses: granting.map(({ document, path }) => ({ document, path })),
        reason: granting.map((each) => `${clauseText(each)} grants ${each.pattern}`).join(" ∩ "),
      };
    },
  };
}

function firstNaming(lists: readonly NamingList[], name: string): (Clause & { readonly pattern: string }) | undefined {
  for (const { document, path, entries } of lists) {
    const entry = entries.find(({ matches }) => matches(name));
    if (entry) return { document, path, pattern: entry.pattern };
  }
  return undefined;
}

function refusal(silent: readonly (readonly NamingList[])[]): Decision {
  const lists = silent.flat();
  const words = lists.map((list) => `${clauseText(list)} names ${namesOf(list)}`);
  return {
    allowed: false,
    clauses: lists.map(({ document, path }) => ({ document, path })),
    reason: words.join(" and ") || "no document grants it",
  };
}

const mostNames = 8;

function namesOf({ entries }: NamingList): string {
  return (
    entries
      .slice(0, mostNames)
      .map(({ pattern }) => pattern)
      .join(", ") || "none"
  );
}

/** A glob over paths in the form NFC that names nothing when it cannot be one: an allow list is never widened by a mistake in it. */
export function pathMatcher(pattern: string): Matches {
  const glob = allowGlob(pattern);
  return glob ? (path) => path !== "" && glob.matches(path) : () => false;
}

/** In an allow list a negation would grant everything but one thing, so it names nothing. */
export function allowGlob(pattern: string): Glob | undefined {
  if (pattern.startsWith("!")) return undefined;
  const glob = compileGlob(pattern);
  return glob.ok ? glob.value : undefined;
}

/** A copy, so that nothing outside can change what was compiled. */
export function copySource({ document, lists }: Source): MandateV1["tools"][number] {
  return { document, lists: lists.map(({ path, patterns }) => ({ path, patterns: [...patterns] })) };
}
