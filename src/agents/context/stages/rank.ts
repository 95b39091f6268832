import MiniSearch from "minisearch";
import { wordsOf } from "../ledger/entry-text.ts";

export interface Ranked<T> {
  readonly item: T;
  readonly score: number;
}

/** A longer word is hardly a misspelling, and comparing two words costs the product of their lengths. */
const longestMisspelt = 40;

/** BM25 over the candidates, best first; equal scores keep their order. A word also matches prefixes and small misspellings. */
export function rank<T extends { readonly text: string }>(
  candidates: readonly T[],
  query: string,
  minScore: number,
): readonly Ranked<T>[] {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ["text"],
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (term) => term,
    searchOptions: {
      prefix: (term) => term.length >= 4,
      fuzzy: (term) => (term.length >= 6 && term.length <= longestMisspelt ? 0.2 : false),
      combineWith: "OR",
    },
  });
  index.addAll(candidates.map(({ text }, id) => ({ id, text })));
  return index
    .search(query)
    .map(({ id, score }) => ({
      item: candidates[id as number] as T,
      score: Math.round(score * 1e6) / 1e6,
      id: id as number,
    }))
    .filter(({ score }) => score > 0 && score >= minScore)
    .toSorted((a, b) => b.score - a.score || a.id - b.id)
    .map(({ item, score }) => ({ item, score }));
}
