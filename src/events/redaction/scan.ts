import { findCards } from "./card.ts";
import * as characters from "./characters.ts";
import { findInEscapes, findInRun } from "./encoded.ts";
import type { Finder, ScanState } from "./finder.ts";
import type { CompiledPattern } from "./patterns.ts";
import { mergeSpans, type Span } from "./span.ts";

// Held by name: a loader that turns imports into getters (as test runners do) would make each look-up a call.
const { base64, cardGap, classOf, classTable, digit, lower, percent, upper } = characters;
const chained = digit | cardGap;
const unusual = percent;
const beyondAscii = percent; // the class that asks for a second look

export type Scan = (text: string) => readonly Span[];

const nothing: readonly Span[] = [];
const shortestCard = 14;
const shortestEncoding = 20;
/** Encodings within encodings are opened this deep. */
const deepest = 2;
/** No secret is shorter: texts below this are not even looked at. */
const shortestText = 8;

interface Waker {
  readonly finder: Finder;
  /** From the last of the three waking characters back to the anchor's first. */
  readonly back: number;
  readonly anchor: string;
}

/**
 * One pass over the text. A rolling value of the last three characters (five bits each, which folds case) wakes
 * finders; counters note digits in a row and runs that may be encoded. Ordinary text leaves no trace and costs about
 * 2 ns a character, so that redaction inside append stays near the price of hashing (bench `ledger`).
 */
export function createScan(
  finders: readonly Finder[],
  patterns: readonly CompiledPattern[],
  shortestSecret: number,
): Scan {
  const wakers = createWakers(finders);
  const least = patterns.length > 0 ? 1 : Math.min(shortestText, shortestSecret);

  const scanAt = (text: string, depth: number): readonly Span[] => {
    if (text.length < least) return nothing;
    const suspicion = suspect(text, wakers);
    if (suspicion === 0 && patterns.length === 0) return nothing;
    const found: Span[] = [];
    const look = (decoded: string) => (depth < deepest ? scanAt(decoded, depth + 1) : nothing);
    if ((suspicion & anchored) !== 0) findAnchored(text, wakers, found);
    if ((suspicion & digitRow) !== 0) findCards(text, found);
    if ((suspicion & encodedRun) !== 0) findInRuns(text, look, found);
    if ((suspicion & escaped) !== 0) findInEscapes(text, look, found);
    for (const pattern of patterns) pattern.find(text, found);
    return found.length === 0 ? nothing : mergeSpans(found);
  };
  return (text) => scanAt(text, 0);
}

/** What a text may hold, as bits; 0 for nearly every text. */
const anchored = 1;
const digitRow = 2;
const encodedRun = 4;
const escaped = 8;

/**
 * The one pass that every text pays for, kept free of objects and calls so that it compiles to a tight loop. It notes
 * where runs began instead of counting them: a letter costs two look-ups and one comparison.
 */
function suspect(text: string, wakers: Wakers): number {
  const length = text.length;
  const { wake } = wakers;
  let suspicion = 0;
  let key = 0;
  let chainStart = 0; // of digits and the gaps between them
  let runStart = 0; // of characters that base64 has
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    key = ((key << 5) | (code & 31)) & 0x7fff;
    if (wake[key] !== 0 && (suspicion & anchored) === 0 && wakers.isAnchor(text, at, key)) suspicion |= anchored;
    const bits = code < 128 ? (classTable[code] as number) : beyondAscii;
    if ((bits & chained) === 0) {
      if (at - chainStart >= shortestCard) suspicion |= digitRow;
      chainStart = at + 1;
    }
    if ((bits & base64) === 0) {
      if (at - runStart >= shortestEncoding && mayBeEncoded(text, runStart, at)) suspicion |= encodedRun;
      runStart = at + 1;
      if ((bits & unusual) !== 0) suspicion |= code < 128 ? escaped : digitRow; // other scripts have digits of their own
    }
  }
  if (length - chainStart >= shortestCard) suspicion |= digitRow;
  if (length - runStart >= shortestEncoding && mayBeEncoded(text, runStart, length)) suspicion |= encodedRun;
  return suspicion;
}

/** Base64 of text has both cases; hex of text has pairs that are printable. Hashes and ids have neither. */
function mayBeEncoded(text: string, start: number, end: number): boolean {
  for (let at = start; at < start + 12; at += 2) {
    const high = text.charCodeAt(at) - 0x30;
    if (high < 2 || high > 7) break;
    if (at === start + 10) return true;
  }
  let seen = 0;
  const both = upper | lower;
  for (let at = start; at < end && (seen & both) !== both; at++) seen |= classOf(text.charCodeAt(at));
  return (seen & both) === both;
}

function findInRuns(text: string, look: (decoded: string) => readonly Span[], found: Span[]): void {
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && (classOf(text.charCodeAt(at)) & base64) !== 0) continue;
    if (at - start >= shortestEncoding && mayBeEncoded(text, start, at)) {
      const span = findInRun(text, start, at, look);
      if (span) found.push(span);
    }
    start = at + 1;
  }
}

/** Calls each finder where its anchor stands; what one has taken is not offered again. */
function findAnchored(text: string, wakers: Wakers, found: Span[]): void {
  const state: ScanState = { noKeyEnd: false, readTo: 0, plainBefore: 0, noAuthorityBefore: 0 };
  let key = 0;
  let skipTo = 0;
  for (let at = 0; at < text.length; at++) {
    key = ((key << 5) | (text.charCodeAt(at) & 31)) & 0x7fff;
    if (wakers.wake[key] === 0 || at < skipTo) continue;
    for (const waker of wakers.at(key)) {
      const start = at - waker.back;
      if (start < skipTo || !startsWithFolded(text, start, waker.anchor)) continue;
      const span = waker.finder.find(text, start, state);
      if (!span) continue;
      found.push(span);
      if (span.end > skipTo) skipTo = span.end;
    }
  }
}

/** Finders by the three characters that wake them. */
interface Wakers {
  readonly wake: Uint8Array;
  at(key: number): readonly Waker[];
  isAnchor(text: string, at: number, key: number): boolean;
}

function createWakers(finders: readonly Finder[]): Wakers {
  const wake = new Uint8Array(1 << 15);
  const buckets = new Map<number, Waker[]>();
  for (const finder of finders) {
    const wakeAt = finder.wakeAt ?? finder.anchor.length - 3;
    const key = keyOf(finder.anchor, wakeAt);
    wake[key] = 1;
    const waker = { finder, back: wakeAt + 2, anchor: finder.anchor.toLowerCase() };
    buckets.set(key, [...(buckets.get(key) ?? []), waker]);
  }
  const at = (key: number): readonly Waker[] => buckets.get(key) ?? [];
  return {
    wake,
    at,
    isAnchor: (text, position, key) =>
      at(key).some((waker) => startsWithFolded(text, position - waker.back, waker.anchor)),
  };
}

function keyOf(anchor: string, at: number): number {
  let key = 0;
  for (let index = at; index < at + 3; index++) key = ((key << 5) | (anchor.charCodeAt(index) & 31)) & 0x7fff;
  return key;
}

/** Without case for ASCII; the finder compares exactly where case matters. */
function startsWithFolded(text: string, start: number, anchor: string): boolean {
  if (start < 0 || start + anchor.length > text.length) return false;
  for (let index = 0; index < anchor.length; index++) {
    const code = text.charCodeAt(start + index);
    const wanted = anchor.charCodeAt(index);
    if (code !== wanted && (code < 65 || code > 90 || code + 32 !== wanted)) return false;
  }
  return true;
}
