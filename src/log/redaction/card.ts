import { alphanumeric, beyondHex, cardGap, classOf } from "./characters.ts";
import type { Span } from "./span.ts";

/**
 * Payment cards, as people and forms write them: 14 to 19 digits in one run or in the groups that cards are printed in,
 * in the digits of any of Unicode's usual scripts, attached to letters or not. A number is a card only if an issuer
 * assigns numbers of that prefix and length and its check digit is right; that excludes order numbers, timestamps and
 * most ids. Digits within a hash, a fraction or a longer run of digits are never a card.
 */
export function findCards(text: string, found: Span[]): void {
  let chain: Group[] = [];
  let at = 0;
  while (at < text.length) {
    if (digitValue(text.charCodeAt(at)) < 0) {
      at++;
      continue;
    }
    const start = at;
    while (at < text.length && digitValue(text.charCodeAt(at)) >= 0) at++;
    const last = chain.at(-1);
    if (last && !isGap(text, last.end, start)) {
      judgeChain(text, chain, found);
      chain = [];
    }
    if (at - start > 19) {
      judgeChain(text, chain, found);
      chain = [];
    } else chain.push({ start, end: at });
  }
  judgeChain(text, chain, found);
}

/** Whether a card issuer could have assigned the number. */
export function isCardNumber(digits: string): boolean {
  return digits.length >= 14 && digits.length <= 19 && hasIssuer(digits) && hasCheckDigit(digits);
}

interface Group {
  readonly start: number;
  readonly end: number;
}

function judgeChain(text: string, chain: readonly Group[], found: Span[]): void {
  const [head] = chain;
  if (!head) return;
  for (let first = 0; first < chain.length; ) {
    first = longestCard(text, chain, first, found) + 1;
  }
}

/** Takes the longest card that begins with this group; returns the index of the last group used. */
function longestCard(text: string, chain: readonly Group[], first: number, found: Span[]): number {
  const lengths: number[] = [];
  let total = 0;
  let best = -1;
  for (let last = first; last < chain.length; last++) {
    const group = chain[last] as Group;
    total += group.end - group.start;
    if (total > 19) break;
    lengths.push(group.end - group.start);
    if (lengths.length > 5 && chain.length > 19) break; // no printed shape has more groups, and small groups count only as a whole chain
    const isWhole = lengths.length === chain.length;
    if (total < 14 || !(isPrintedShape(lengths, isWhole) || (isWhole && isEvenlySplit(text, chain)))) continue;
    if (lengths.length === 1 && !mayStandAlone(text, group)) continue;
    if (isCardNumber(digitsOf(text, chain, first, last))) best = last;
  }
  if (best < 0) return first;
  found.push({ start: (chain[first] as Group).start, end: (chain[best] as Group).end, kind: "card" });
  return best;
}

function digitsOf(text: string, chain: readonly Group[], first: number, last: number): string {
  let digits = "";
  for (let index = first; index <= last; index++) {
    const { start, end } = chain[index] as Group;
    for (let at = start; at < end; at++) digits += digitValue(text.charCodeAt(at));
  }
  return digits;
}

const oddShapes = new Set([
  "4,6,5",
  "4,6,4",
  "6,13",
  "6,10",
  "5,5,4",
  "5,5,5",
  "5,5,5,1",
  "5,5,5,4",
  "8,8",
  "4,4,8",
  "6,4,6",
]);

function isPrintedShape(lengths: readonly number[], isWholeChain: boolean): boolean {
  if (lengths.length === 1) return true;
  if (oddShapes.has(lengths.join())) return true;
  const size = lengths[0] as number;
  const last = lengths.at(-1) as number;
  if (last > size || lengths.slice(0, -1).some((length) => length !== size)) return false;
  return size === 4 || (size <= 3 && isWholeChain);
}

/** A whole chain of groups of any sizes with the same blank or dash between all of them. */
function isEvenlySplit(text: string, chain: readonly Group[]): boolean {
  const gap = text.slice(chain[0]?.end, chain[1]?.start);
  if (gap.length !== 1 || "._+\t".includes(gap)) return false;
  return chain.every(({ start }, at) => at === 0 || text.slice(chain[at - 1]?.end, start) === gap);
}

/** A run of digits by itself: not the fraction of a number, not part of a hash. */
function mayStandAlone(text: string, { start, end }: Group): boolean {
  if (text[start - 1] === "." && digitValue(text.charCodeAt(start - 2)) >= 0) return false;
  let from = start;
  let to = end;
  while (from > 0 && start - from < 64 && isHexLetterOrDigit(text.charCodeAt(from - 1))) from--;
  while (to < text.length && to - end < 64 && isHexLetterOrDigit(text.charCodeAt(to))) to++;
  const isWholeWord = !isAlphanumeric(text.charCodeAt(from - 1)) && !isAlphanumeric(text.charCodeAt(to));
  const hasLetters = from < start || to > end;
  return !(hasLetters && isWholeWord && to - from >= 24);
}

function isHexLetterOrDigit(code: number): boolean {
  const bits = classOf(code);
  return (bits & alphanumeric) !== 0 && (bits & beyondHex) === 0;
}

function isAlphanumeric(code: number): boolean {
  return (classOf(code) & alphanumeric) !== 0; // NaN, past either end, has no class
}

/** Up to three characters that people put between groups. */
function isGap(text: string, start: number, end: number): boolean {
  if (end - start > 3) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if ((classOf(code) & cardGap) === 0 && !isWideGap(code)) return false;
  }
  return true;
}

/** Spaces, dashes and invisible characters beyond ASCII. */
function isWideGap(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0xad ||
    code === 0xb7 ||
    (code >= 0x2000 && code <= 0x2015) ||
    code === 0x202f ||
    code === 0x2060 ||
    code === 0x2212 ||
    code === 0x3000 ||
    code === 0xfeff ||
    code === 0xff0d
  );
}

function digitValue(code: number): number {
  if (code < 0x660) return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1;
  return foreignDigits.get(code) ?? -1;
}

/** The zero of every script whose digits are one UTF-16 unit each: its ten digits are consecutive. */
const zeros: readonly number[] = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];
const foreignDigits: ReadonlyMap<number, number> = new Map(
  zeros.flatMap((zero) => Array.from({ length: 10 }, (_, value) => [zero + value, value] as const)),
);

/** Prefix and length, from the issuers' published ranges. Visa is accepted at every length from 16 on. */
function hasIssuer(digits: string): boolean {
  const length = digits.length;
  const four = Number(digits.slice(0, 4));
  const two = Math.floor(four / 100);
  if (digits[0] === "4") return length >= 16; // Visa
  if (two === 34 || two === 37) return length === 15; // American Express
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16; // Mastercard
  if (two === 36 || two === 38 || two === 39 || (four >= 3000 && four <= 3059) || (four >= 3090 && four <= 3099))
    return length === 14 || length >= 16; // Diners Club
  if (four >= 3528 && four <= 3589) return length >= 16; // JCB
  if (four >= 2200 && four <= 2204) return length >= 16; // Mir
  if (two === 60 || two === 62 || two === 64 || two === 65 || two === 81 || two === 82) return length >= 16; // Discover, UnionPay, RuPay
  if (two === 50 || (two >= 56 && two <= 58) || two === 63 || two === 67) return length >= 15; // Maestro
  return four === 9792 && length === 16; // Troy
}

/** Luhn's sum. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    let value = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (index % 2 === 1) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
  }
  return sum % 10 === 0 && !/^(\d)\1*$/.test(digits);
}
