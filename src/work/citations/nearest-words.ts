import { wordsOf } from "./find-quote.ts";
import { type FoldedText, foldText } from "./fold-text.ts";

/** What a text says where it comes closest to a quote that it does not hold. */
export interface NearWords {
  readonly line: number;
  readonly words: string;
  /** How many of the quote's words stand there, from 0 to 1. */
  readonly share: number;
}

const leastShare = 0.5;
const mostShown = 300;

/** The stretch of a text, as long as the quote, that has the most of its words; undefined where it has less than half of them. */
export function nearestWords(quote: string, text: FoldedText): NearWords | undefined {
  const wanted = wordsOf(foldText(quote)).map(({ word }) => word);
  const words = wordsOf(text.text);
  const length = Math.min(wanted.length, words.length);
  if (length === 0) return undefined;
  const missing = new Map<string, number>();
  for (const word of wanted) missing.set(word, (missing.get(word) ?? 0) + 1);
  let shared = 0;
  let best = { shared: 0, end: 0 };
  for (const [index, { word }] of words.entries()) {
    const left = missing.get(word);
    if (left !== undefined) {
      missing.set(word, left - 1);
      if (left > 0) shared += 1;
    }
    const gone = index < length ? undefined : words[index - length]?.word;
    const back = gone === undefined ? undefined : missing.get(gone);
    if (gone !== undefined && back !== undefined) {
      missing.set(gone, back + 1);
      if (back >= 0) shared -= 1;
    }
    if (shared > best.shared) best = { shared, end: index };
  }
  const share = best.shared / wanted.length;
  const first = words[Math.max(0, best.end - length + 1)];
  const last = words[best.end];
  if (share < leastShare || !first || !last) return undefined;
  const said = text.text.slice(first.from, last.to).replaceAll("\0", " \u2026 ");
  return { line: text.lineAt[first.from] ?? 1, words: said.slice(0, mostShown).toWellFormed(), share };
}
