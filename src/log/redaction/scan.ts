import { findCards } from "./card.ts";
import * as characters from "./characters.ts";
import { findInDisguises } from "./disguise.ts";
import { decodesToText, findInEscapes, findInRun, findInUnicodeEscapes } from "./encoded.ts";
import type { Finder, ScanState } from "./finder.ts";
import { mergeSpans, type Span } from "./span.ts";
import type { CompiledPattern } from "./workspace-patterns.ts";

// Local constants: a loader that turns imports into getters (as test runners do) would make each lookup a call.
const { base64, classTable, digit, foreign, hashDigit, jsonEscape, lower, percent, upper } = characters;
const unusual = percent | jsonEscape | foreign;
const both = upper | lower;

export interface Scan {
  /** The spans to redact. */
  find(text: string): readonly Span[];
  /**
   * Whether the text contains a secret, and whether it can be put between quotes in JSON unchanged. The same pass
   * copies the text, a byte a character; unless the result is `plain`, the copy is meaningless.
   */
  inspect(text: string, into: Uint8Array, at: number): Inspection;
}

export type Inspection = typeof plain | typeof quotable | typeof held;
/** No secret, and JSON writes it unchanged. */
export const plain = 0;
/** No secret; it has escapes, or characters beyond ASCII. */
const quotable = 1;
/** It contains a secret. */
export const held = 2;

const nothing: readonly Span[] = [];
const shortestCard = 14;
const shortestEncoding = 20;
/** No secret is shorter: shorter texts are not scanned. */
const shortestText = 8;

/** The secrets in a text, or in what it decodes to. */
type Look = (text: string) => readonly Span[];

interface Waker {
  readonly finder: Finder;
  /** From the last of the three waking characters back to the anchor's first. */
  readonly back: number;
  readonly anchor: string;
  readonly isLoose: boolean;
}

/**
 * One pass over the text. A rolling value of the last three characters (five bits each, which folds case) wakes
 * finders; counters track digits in a row and runs that may be encoded. Ordinary text costs about 2 ns a character, so
 * that redaction inside append stays near the cost of hashing (bench `ledger`).
 */
export function createScan(
  finders: readonly Finder[],
  patterns: readonly CompiledPattern[],
  shortestSecret: number,
): Scan {
  const wakers = createWakers(finders);
  const hashAnchors = finders
    .filter(({ isLoose }) => !isLoose) // a hash has nothing between its characters
    .map(anchorInHashes)
    .filter((anchor) => /^[0-9a-f]+$/.test(anchor));
  const least = patterns.length > 0 ? 1 : Math.min(shortestText, shortestSecret);

  const scanWith =
    (look: Look): Look =>
    (text) =>
      text.length < least ? nothing : follow(text, suspect(text, wakers, nowhere, 0), look);

  const follow = (text: string, suspicion: number, look: Look): readonly Span[] =>
    (suspicion & anySecret) === 0 && patterns.length === 0 && !mayEscape(text, suspicion)
      ? nothing
      : search(text, suspicion, look);

  const search = (text: string, suspicion: number, look: Look): readonly Span[] => {
    const found: Span[] = [];
    if ((suspicion & woken) !== 0) findAnchored(text, wakers, found);
    if ((suspicion & digitRow) !== 0) findCards(text, found);
    if ((suspicion & longRun) !== 0) findInRuns(text, look, found);
    if ((suspicion & escaped) !== 0) findInEscapes(text, look, found);
    if (mayEscape(text, suspicion)) findInUnicodeEscapes(text, look, found);
    if ((suspicion & beyond) !== 0) findInDisguises(text, look, found);
    for (const pattern of patterns) pattern.find(text, found);
    return found.length === 0 ? nothing : mergeSpans(found);
  };
  // Encodings within encodings are decoded twice. Made once: a function for each text took a tenth of a line's time.
  const look = scanWith(scanWith(() => nothing));
  const find = scanWith(look);
  return {
    find,
    inspect(text, into, at) {
      const isHash = text.length === hashLength && patterns.length === 0 && putHash(text, into, at);
      if (isHash && !hashAnchors.some((anchor) => text.includes(anchor))) return plain;
      const suspicion = suspect(text, wakers, into, at);
      const isClean = text.length < least || follow(text, suspicion, look).length === 0;
      return isClean ? ((suspicion & unquoted) === 0 ? plain : quotable) : held;
    },
  };
}

/** What a text may contain, as bits; 0 for nearly every short text. */
const woken = 1;
const digitRow = 2;
const longRun = 4;
const escaped = 8;
/** Characters beyond ASCII: among them are some that disguise others. */
const beyond = 512;
const anySecret = woken | digitRow | longRun | escaped | beyond;
/** No secret, but JSON cannot write it unchanged. */
const unquoted = 16;

/** Whether JSON within the text may have Unicode escapes. */
function mayEscape(text: string, suspicion: number): boolean {
  return (suspicion & unquoted) !== 0 && text.includes("\\u");
}

const hashLength = 64;

/** The anchor in a text without capitals. */
function anchorInHashes({ anchor, isExact }: Finder): string {
  return isExact ? anchor : anchor.toLowerCase();
}

/**
 * Copies a hash; false where the text is none, or where it may be text as hex. Half of what a log records are hashes,
 * and none contains a card (see `findCards`): they take half as long as other texts.
 */
function putHash(text: string, into: Uint8Array, start: number): boolean {
  const table = classTable;
  const isHashDigit = hashDigit;
  for (let at = 0; at < hashLength; at += 2) {
    const first = text.charCodeAt(at);
    const second = text.charCodeAt(at + 1);
    if (first > lastHashDigit || second > lastHashDigit) return false;
    if (((table[first] as number) & (table[second] as number) & isHashDigit) === 0) return false;
    into[start + at] = first;
    into[start + at + 1] = second;
  }
  return !startsLikeHexText(text, 0);
}

const lastHashDigit = 0x66;

const mixedCase = 32;
const oneRun = 64;

/** For callers that need no copy: every character is written to the same byte. */
const nowhere = new Uint8Array(1);

function suspect(text: string, wakers: Wakers, into: Uint8Array, start: number): number {
  const suspicion = glance(text, wakers.wake, into, start);
  // Ids and names are one run, and no encoding: they are known without another pass.
  const isPlainRun = (suspicion & (oneRun | mixedCase)) === oneRun && !startsLikeHexText(text, 0);
  return isPlainRun ? suspicion & ~longRun : suspicion;
}

/**
 * The one pass that every text pays for: a tight loop that calls nothing, so that the compiler inlines nothing into it
 * (with the rare cases inside it took three times as long). Half of what a log records are hashes: whether their next
 * character is a digit cannot be predicted, so digits are counted without a branch; and the table of wakers is small,
 * since it is accessed at random. The characters are copied in the same pass: a second read cost half as much again.
 */
function glance(text: string, wake: readonly number[], into: Uint8Array, start: number): number {
  const length = text.length;
  const mask = into === nowhere ? 0 : -1;
  // In registers: the loop would read them from the module in every iteration.
  const table = classTable;
  const isDigit = digit;
  const isBase64 = base64;
  const leastDigits = shortestCard;
  const leastRun = shortestEncoding;
  let found = 0;
  let key = 0;
  let digits = 0; // since the last character that is neither a digit nor a gap between digits
  let runStart = 0; // of base64 characters
  let seen = 0; // the classes of this run's characters
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    into[start + (at & mask)] = code;
    key = ((key << 5) | (code & 31)) & 0x7fff;
    if (((wake[key >> 5] as number) & (1 << (key & 31))) !== 0) found |= woken;
    const bits = code < 128 ? (table[code] as number) : foreign;
    digits = (digits + (bits & isDigit)) & (bits >> 31); // back to 0 where the chain is broken
    if (digits >= leastDigits) found |= digitRow;
    if ((bits & isBase64) !== 0) seen |= bits;
    else {
      if (at - runStart >= leastRun) found |= (seen & both) === both ? longRun | mixedCase : longRun;
      runStart = at + 1;
      seen = 0;
      if ((bits & unusual) !== 0)
        found |= bits === foreign ? digitRow | unquoted | beyond : (bits & percent) !== 0 ? escaped : unquoted; // other scripts have digits of their own
    }
  }
  if (length - runStart >= leastRun) found |= (seen & both) === both ? longRun | mixedCase : longRun;
  return runStart === 0 ? found | oneRun : found;
}

interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * The next run that is long enough and begins like encoded text; `from` is no place within a run. Reads back from where
 * a long enough run would still be: most texts have a break there, and then one character in three is read.
 */
function nextEncodedRun(text: string, from: number): Run | undefined {
  const table = classTable;
  const isBase64 = base64;
  const length = text.length;
  let start = from;
  while (start + shortestEncoding <= length) {
    let at = start + shortestEncoding;
    let seen = isBase64;
    while (at > start && (seen & isBase64) !== 0) {
      const code = text.charCodeAt(--at);
      seen = code < 128 ? (table[code] as number) : 0;
    }
    if ((seen & isBase64) === 0) {
      start = at + 1;
      continue;
    }
    const end = characters.runEnd(text, start + shortestEncoding, isBase64);
    if (looksEncoded(text, start, end) && decodesToText(text, start, end)) return { start, end };
    start = end + 1;
  }
  return undefined;
}

/**
 * Base64 of text has both cases; hex of text has pairs that are printable. Hashes have neither. Ids and paths may have
 * both cases, but do not decode to text.
 */
function looksEncoded(text: string, start: number, end: number): boolean {
  return startsLikeHexText(text, start) || hasBothCases(text, start, end);
}

function hasBothCases(text: string, start: number, end: number): boolean {
  let seen = 0;
  for (let at = start; at < end && (seen & both) !== both; at++) seen |= characters.classOf(text.charCodeAt(at));
  return (seen & both) === both;
}

function startsLikeHexText(text: string, start: number): boolean {
  for (let at = start; at < start + 12; at += 2) {
    const high = text.charCodeAt(at) - 0x30;
    if (high < 2 || high > 7) return false;
  }
  return true;
}

function findInRuns(text: string, look: Look, found: Span[]): void {
  let done = 0;
  for (let run = nextEncodedRun(text, 0); run; run = nextEncodedRun(text, done + 1)) {
    done = linesEnd(text, run.start, run.end);
    const span = findInRun(text, run.start, done, look);
    if (span) found.push(span);
  }
}

/** Programs break base64 into lines, and a secret may span the break: such lines are one run. */
function linesEnd(text: string, start: number, end: number): number {
  const width = end - start;
  if (width !== 64 && width !== 76) return end;
  let stop = end;
  for (;;) {
    const next = text.startsWith("\r\n", stop) ? stop + 2 : text[stop] === "\n" ? stop + 1 : stop;
    const nextEnd = characters.runEnd(text, next, base64);
    if (next === stop || nextEnd === next || nextEnd - next > width) return stop;
    stop = nextEnd;
    if (nextEnd - next < width) return stop;
  }
}

/** Calls each finder where its anchor occurs; a span that one has taken is not scanned again. */
function findAnchored(text: string, wakers: Wakers, found: Span[]): void {
  const state: ScanState = { noKeyEnd: false, readTo: 0, plainBefore: 0, noAuthorityBefore: 0, noCookieBefore: 0 };
  let skipTo = 0;
  for (let at = nextWaking(text, wakers.wake, 0); at < text.length; ) {
    for (const waker of wakers.at(keyOf(text, at - 2))) {
      const start = at - waker.back;
      if (start < skipTo || !(waker.isLoose || startsWithFolded(text, start, waker.anchor))) continue;
      const span = waker.finder.find(text, start, state);
      if (!span) continue;
      found.push(span);
      if (span.end > skipTo) skipTo = span.end;
    }
    at = nextWaking(text, wakers.wake, Math.max(at + 1, skipTo));
  }
}

/** The last of the next three characters that wake a finder; the text's end where none do. A tight loop, as `glance`. */
function nextWaking(text: string, wake: readonly number[], from: number): number {
  const length = text.length;
  let key = keyOf(text, from - 3);
  for (let at = from; at < length; at++) {
    key = ((key << 5) | (text.charCodeAt(at) & 31)) & 0x7fff;
    if (((wake[key >> 5] as number) & (1 << (key & 31))) !== 0) return at;
  }
  return length;
}

/** Finders by the three characters that wake them. */
interface Wakers {
  /** A bit for each three characters. */
  readonly wake: readonly number[];
  at(key: number): readonly Waker[];
}

function createWakers(finders: readonly Finder[]): Wakers {
  const wake: number[] = Array.from({ length: 1 << 10 }, () => 0);
  const buckets = new Map<number, Waker[]>();
  for (const finder of finders) {
    const wakeAt = finder.wakeAt ?? finder.anchor.length - 3;
    const key = keyOf(finder.anchor, wakeAt);
    wake[key >> 5] = (wake[key >> 5] as number) | (1 << (key & 31));
    const waker = {
      finder,
      back: wakeAt + 2,
      anchor: finder.anchor.toLowerCase(),
      isLoose: finder.isLoose === true,
    };
    buckets.set(key, [...(buckets.get(key) ?? []), waker]);
  }
  return { wake, at: (key) => buckets.get(key) ?? [] };
}

/** Of three characters; those before a text's start count as nothing. */
function keyOf(text: string, at: number): number {
  let key = 0;
  for (let index = at; index < at + 3; index++) key = (key << 5) | (text.charCodeAt(index) & 31);
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
