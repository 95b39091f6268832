import { alphanumeric, classOf } from "./characters.ts";
import type { Span } from "./span.ts";

/** What a finder may read before and after a secret that is disguised. */
const reach = 1024;

const fullWidthStart = 0xff01;
const fullWidthEnd = 0xff5e;
const fullWidthOffset = 0xfee0;

/** A stretch of the text that was left out, or translated character by character, and where it stands without disguises. */
interface Stretch {
  /** Where the text goes on after it, without disguises. */
  readonly plainAt: number;
  readonly at: number;
}

/** Scans the text as it reads, where it is disguised. Linear: the second text has no disguise left. */
export function findInDisguises(text: string, look: (plain: string) => readonly Span[], found: Span[]): void {
  let group: Disguise[] = [];
  for (const disguise of disguisesIn(text)) {
    const last = group.at(-1);
    if (last && disguise.start - last.end > 2 * reach) {
      findInGroup(text, group, look, found);
      group = [];
    }
    group.push(disguise);
  }
  findInGroup(text, group, look, found);
}

/** Disguises that one secret could have, or the text around it. */
function findInGroup(
  text: string,
  disguises: readonly Disguise[],
  look: (plain: string) => readonly Span[],
  found: Span[],
): void {
  const [first] = disguises;
  if (!first) return;
  let from = Math.max(0, first.start - reach);
  const stretches: Stretch[] = [{ plainAt: 0, at: from }];
  let plain = "";
  for (const { start, end, isWide } of disguises) {
    plain += text.slice(from, start);
    from = end;
    if (isWide) plain += narrow(text.slice(start, end));
    stretches.push({ plainAt: plain.length, at: from });
  }
  plain += text.slice(from, from + reach);
  let next = 1;
  for (const { start, end, kind } of look(plain)) {
    while (next < stretches.length && (stretches[next] as Stretch).plainAt <= start) next++;
    const begin = original(stretches[next - 1] as Stretch, start);
    let behind = next;
    while (behind < stretches.length && (stretches[behind] as Stretch).plainAt < end) behind++;
    // What is not disguised is found in the text itself; at the edge of the window it might be half a word.
    if (behind === next && !coversFullWidth(text, begin, end - start)) continue;
    found.push({ start: begin, end: original(stretches[behind - 1] as Stretch, end - 1) + 1, kind });
  }
}

interface Disguise {
  readonly start: number;
  readonly end: number;
  readonly isWide: boolean;
}

/** By hand: one comparison for each character of ASCII, where an expression took six times as long. */
function disguisesIn(text: string): readonly Disguise[] {
  const found: Disguise[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xad) continue;
    const isWide = isFullWidth(code);
    if (!isWide && !isInvisible(code)) continue;
    const start = at;
    let hasWord = isWide && isWideWord(code);
    while (at + 1 < text.length && (isWide ? isFullWidth : isInvisible)(text.charCodeAt(at + 1))) {
      at++;
      if (isWide && isWideWord(text.charCodeAt(at))) hasWord = true;
    }
    // Chinese and Japanese have marks of full width; letters and digits of it they seldom have.
    if (hasWord || (!isWide && isShown(text.charCodeAt(start - 1)) && isShown(text.charCodeAt(at + 1))))
      found.push({ start, end: at + 1, isWide });
  }
  return found;
}

function isWideWord(code: number): boolean {
  const ascii = code - fullWidthOffset;
  return (classOf(ascii) & alphanumeric) !== 0;
}

/** ASCII with a blank, in either width. */
function isShown(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e) || isFullWidth(code);
}

/**
 * Characters that a reader does not see (zero-width and formatting ones) and ASCII in full width: both write a secret so that
 * it reads as it is and is another text. Scripts and emoji use the first kind too; only between two characters of ASCII they
 * disguise anything, which spares nearly every text that has some a second scan.
 */
export function isInvisible(code: number): boolean {
  if (code < 0x200b)
    return (
      code === 0xad ||
      code === 0x34f ||
      code === 0x61c ||
      code === 0x115f ||
      code === 0x1160 ||
      code === 0x17b4 ||
      code === 0x17b5 ||
      (code >= 0x180b && code <= 0x180e)
    );
  if (code <= 0x206f) return code <= 0x200f || (code >= 0x202a && code <= 0x202e) || code >= 0x2060;
  if (code < 0xfe00) return code === 0x3164;
  return code <= 0xfe0f || code === 0xfeff || code === 0xffa0;
}

function coversFullWidth(text: string, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) if (isFullWidth(text.charCodeAt(at))) return true;
  return false;
}

/** A position in the plain text has the same distance from the stretch before it as in the text itself. */
function original({ plainAt, at }: Stretch, position: number): number {
  return at + (position - plainAt);
}

function narrow(text: string): string {
  let narrowed = "";
  for (let at = 0; at < text.length; at++) narrowed += String.fromCharCode(text.charCodeAt(at) - fullWidthOffset);
  return narrowed;
}

function isFullWidth(code: number): boolean {
  return code >= fullWidthStart && code <= fullWidthEnd;
}
