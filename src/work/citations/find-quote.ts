import type { FoldedText } from "./fold-text.ts";
import { foldText } from "./fold-text.ts";
import { isSlip } from "./is-slip.ts";

/** Where the words of a quote stand in a text. */
export interface FoundQuote {
  readonly lines: readonly [number, number];
  /** The words as the source has them, where the quote spells them differently; absent where it is exact. */
  readonly words?: string;
}

/** Shorter quotes are found anywhere, unless they are a whole line. */
const leastLetters = 12;
/** At most one word in this many may be misspelt. */
const wordsPerSlip = 5;
/** What writers put where they leave words out. */
const leftOut = /\s*(?:\u2026|\[\s*\.\.\.\s*\]|\.\.\.)\s*/;

/**
 * Finds a quote: exactly, or with slips that change no word (upper case, punctuation, marks of Markdown, one letter of a long
 * word, never a digit). A quote with an ellipsis is found where its parts follow one another.
 */
export function findQuote(quote: string, text: FoldedText, near: number | undefined): FoundQuote | undefined {
  const parts = foldText(quote)
    .split(leftOut)
    .filter((part) => part !== "");
  if (parts.length === 0) return undefined;
  const found: FoundPart[] = [];
  for (const part of parts) {
    const place = findPart(part, text, { near, from: found.at(-1)?.to ?? 0 });
    if (!place) return undefined;
    found.push(place);
  }
  const lineOf = (at: number) => text.lineAt[at] ?? 1;
  const lines = [lineOf(found[0]?.from ?? 0), lineOf((found.at(-1)?.to ?? 1) - 1)] as const;
  if (found.every(({ isExact }) => isExact)) return { lines };
  return { lines, words: found.map(({ from, to }) => text.text.slice(from, to)).join(" \u2026 ") };
}

interface FoundPart {
  readonly from: number;
  readonly to: number;
  readonly isExact: boolean;
}

interface Search {
  /** The line that the citation names: of several places the nearest is meant. */
  readonly near: number | undefined;
  readonly from: number;
}

function findPart(part: string, text: FoldedText, search: Search): FoundPart | undefined {
  return findExactly(part, text, search) ?? findMisspelt(part, text, search);
}

function findExactly(part: string, text: FoldedText, { near, from }: Search): FoundPart | undefined {
  const places: FoundPart[] = [];
  for (let at = text.text.indexOf(part, from); at >= 0; at = text.text.indexOf(part, at + 1))
    if (isTelling(part, text, at)) places.push({ from: at, to: at + part.length, isExact: true });
  return nearest(places, text, near);
}

/** Long enough to stand for something, or the whole of its line. */
function isTelling(part: string, { lineAt, text }: FoldedText, at: number): boolean {
  if ((part.match(/[\p{L}\p{N}]/gu) ?? []).length >= leastLetters) return true;
  const line = lineAt[at];
  const from = lineAt.indexOf(line ?? 0);
  const to = lineAt.lastIndexOf(line ?? 0) + 1;
  return withoutMarks(text.slice(from, to)) === withoutMarks(part);
}

function withoutMarks(line: string): string {
  return line.replaceAll(/^[\s\0|>*-]+|[\s|]+$/g, "");
}

function findMisspelt(part: string, text: FoldedText, { near, from }: Search): FoundPart | undefined {
  const wanted = wordsOf(part);
  const isLong = wanted.reduce((sum, { word }) => sum + word.length, 0) >= leastLetters;
  if (!isLong || wanted.length < 2) return undefined;
  const words = wordsOf(text.text);
  const mostSlips = Math.floor(wanted.length / wordsPerSlip);
  const places: FoundPart[] = [];
  for (let start = 0; start + wanted.length <= words.length; start++) {
    const first = words[start];
    if (!first || first.from < from || !isSame(words, wanted, { start, mostSlips })) continue;
    const last = words[start + wanted.length - 1] ?? first;
    if (!text.text.slice(first.from, last.to).includes("\0"))
      places.push({ from: first.from, to: last.to, isExact: false });
  }
  return nearest(places, text, near);
}

interface Word {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    from: index,
    to: index + word.length,
  }));
}

function isSame(
  words: readonly Word[],
  wanted: readonly Word[],
  { start, mostSlips }: { readonly start: number; readonly mostSlips: number },
): boolean {
  let slips = 0;
  for (const [index, { word }] of wanted.entries()) {
    const there = words[start + index]?.word ?? "";
    if (there === word) continue;
    if (slips === mostSlips || !isSlip(word, there)) return false;
    slips += 1;
  }
  return true;
}

function nearest(
  places: readonly FoundPart[],
  { lineAt }: FoldedText,
  near: number | undefined,
): FoundPart | undefined {
  if (near === undefined) return places[0];
  const distance = ({ from }: FoundPart) => Math.abs((lineAt[from] ?? 0) - near);
  return places.toSorted((one, other) => distance(one) - distance(other))[0];
}
