import { ok } from "#core/values";
import type { Fragment } from "../fragment.ts";
import type { RunStage } from "../pipeline/stage.ts";
import { fitTokens } from "../prompt/fit-tokens.ts";

/** Puts the fragments in order, takes out what is there twice, and leaves out what does not fit. Invents nothing. */
export const structuring: RunStage<"structuring"> = (stage, { fragments, meter }) => {
  const unique = stage.dedupe === false ? fragments : withoutDuplicates(fragments);
  const ordered = arrange(unique, stage.strategy);
  const limit = Math.min(stage.max_tokens ?? Number.POSITIVE_INFINITY, meter.limits.max_tokens);
  const kept = stage.max_tokens === undefined ? ordered : fitTokens(ordered, limit, worthOf(stage.strategy));
  return ok({
    does: "arrange",
    fragments: kept,
    found: fragments.length,
    dropped: {
      ...(unique.length < fragments.length ? { duplicate: fragments.length - unique.length } : {}),
      ...(kept.length < unique.length ? { budget: unique.length - kept.length } : {}),
    },
    asked: { strategy: stage.strategy, ...(stage.max_tokens === undefined ? {} : { max_tokens: stage.max_tokens }) },
  });
};

export type Strategy = "chronological" | "relevance" | "hierarchical";

/** The same words from two places are said once; the one that a contract asked for, or the more trusted one, stays. */
function withoutDuplicates(fragments: readonly Fragment[]): readonly Fragment[] {
  const best = new Map<string, Fragment>();
  for (const fragment of fragments) {
    const key = fragment.text.trim().replaceAll(/\s+/g, " ");
    const before = best.get(key);
    if (!before || weight(fragment) > weight(before)) best.set(key, fragment);
  }
  const kept = new Set(best.values());
  return fragments.filter((fragment) => kept.has(fragment));
}

function weight(fragment: Fragment): number {
  return (fragment.required ? 2 : 0) + (fragment.trust === "trusted" ? 1 : 0);
}

function arrange(fragments: readonly Fragment[], strategy: Strategy): readonly Fragment[] {
  switch (strategy) {
    case "chronological": // what has no time stands for what holds always, and comes first
      return fragments.toSorted((a, b) => compare(a.ts ?? "", b.ts ?? ""));
    case "relevance":
      return fragments.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0));
    case "hierarchical":
      return fragments.toSorted((a, b) => level(a) - level(b) || compare(a.ts ?? "", b.ts ?? ""));
  }
}

/** What binds all comes before what binds few: registries, files, then the ledgers from hot down to ho1. */
function level(fragment: Fragment): number {
  if (fragment.origin.startsWith("registry:")) return 0;
  if (fragment.tier === undefined) return 1;
  return 2 + ["hot", "ho2", "ho1"].indexOf(fragment.tier);
}

/** What is given up last when the budget is short: the newest, the most relevant, or the highest. */
function worthOf(strategy: Strategy): (fragment: Fragment, index: number, count: number) => number {
  switch (strategy) {
    case "chronological":
      return (fragment, index, count) => (fragment.ts === undefined ? count : index);
    case "relevance":
    case "hierarchical":
      return (_, index, count) => count - index;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
