import { classOf, credential, isHex, percent } from "./characters.ts";
import type { Span } from "./span.ts";

/** Finds secrets in decoded text; the scan passes itself. */
type Look = (decoded: string) => readonly Span[];

/**
 * Decodes a run of base64 or hex and scans the result. When it contains a secret, the whole run is redacted: half a run
 * would still decode to half a secret.
 */
export function findInRun(text: string, start: number, end: number, look: Look): Span | undefined {
  if (isHexRun(text, start, end)) {
    return readsAsHexText(text, start, end)
      ? judge(Buffer.from(text.slice(start, end), "hex"), start, end, look)
      : undefined;
  }
  for (const from of possibleStarts(text, start, end)) {
    if (!readsAsBase64Text(text, from, end)) continue;
    const span = judge(Buffer.from(text.slice(from, end), "base64"), from, end, look);
    if (span) return span;
  }
  return undefined;
}

/** Whether a run of base64 or hex begins like text, so that it is worth decoding whole. Copies nothing. */
export function decodesToText(text: string, start: number, end: number): boolean {
  if (isHexRun(text, start, end)) return readsAsHexText(text, start, end);
  if (readsAsBase64Text(text, start, end)) return true;
  const hasOnlyOne = !followsEscape(text, start) && text.indexOf("/", start) < 0;
  return !hasOnlyOne && possibleStarts(text, start, end).some((from) => readsAsBase64Text(text, from, end));
}

function isHexRun(text: string, start: number, end: number): boolean {
  return (end - start) % 2 === 0 && isHex(text, start, end);
}

/** Decodes words with percent escapes, each whole, and scans the result. */
export function findInEscapes(text: string, look: Look, found: Span[]): void {
  let done = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", Math.max(at + 1, done))) {
    if (!isHex(text, at + 1, at + 3)) continue;
    let start = at;
    while (start > done && isEscapable(text.charCodeAt(start - 1))) start--;
    let end = at;
    while (end < text.length && isEscapable(text.charCodeAt(end))) end++;
    done = end;
    const span = judge(Buffer.from(unescapePercent(text.slice(start, end)), "latin1"), start, end, look);
    if (span) found.push(span);
  }
}

/**
 * JSON within text may write any character as `\\u0034`, and programs do so for everything beyond ASCII: the text is
 * scanned decoded.
 */
export function findInUnicodeEscapes(text: string, look: Look, found: Span[]): void {
  const escape = /(?<!\\)\\+u([0-9a-fA-F]{4})/g; // from the first of many backslashes, not from each of them
  const places: Place[] = [];
  let decoded = "";
  let from = 0;
  for (const match of text.matchAll(escape)) {
    decoded += text.slice(from, match.index);
    from = match.index + match[0].length;
    places.push({ at: decoded.length, to: from });
    decoded += String.fromCharCode(Number.parseInt(match[1] as string, 16));
  }
  if (places.length === 0) return;
  decoded += text.slice(from);
  // A position in the decoded text has the same distance from the last escape before it as in the text itself.
  let next = 0;
  for (const { start, end, kind } of look(decoded)) {
    while (next < places.length && (places[next] as Place).at < start) next++;
    const first = original(places[next - 1], start);
    const before = next;
    while (next < places.length && (places[next] as Place).at < end) next++;
    if (next > before) found.push({ start: first, end: original(places[next - 1], end), kind });
  }
}

/** The position of an escape in the text, and of its character in the decoded text. */
interface Place {
  readonly at: number;
  readonly to: number;
}

function original(last: Place | undefined, at: number): number {
  return last ? last.to + (at - last.at - 1) : at;
}

function unescapePercent(run: string): string {
  return run
    .replaceAll("+", " ")
    .replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function isEscapable(code: number): boolean {
  return (
    (classOf(code) & (credential | percent)) !== 0 || code === 0x26 || code === 0x3f || code === 0x3a || code === 0x40
  );
}

/** Where encoded text may begin in a run: at its start, past an escape's letter, past a slash of a path. */
function possibleStarts(text: string, start: number, end: number): readonly number[] {
  const starts = [start];
  if (followsEscape(text, start)) starts.push(start + 1);
  for (let at = text.indexOf("/", start); at >= 0 && at < end - 20 && starts.length < 6; at = text.indexOf("/", at + 1))
    starts.push(at + 1);
  return starts;
}

function followsEscape(text: string, start: number): boolean {
  return start > 0 && text.charCodeAt(start - 1) === 0x5c;
}

function judge(bytes: Buffer, start: number, end: number, look: Look): Span | undefined {
  const [first] = look(bytes.toString("utf8"));
  return first ? { start, end, kind: first.kind } : undefined;
}

/**
 * So many characters of a run decide whether it is text: nearly every byte must be printable, which random bytes pass
 * once in thousands.
 */
const telling = 32;

export function readsAsHexText(text: string, start: number, end: number): boolean {
  const stop = Math.min(end, start + telling);
  let odd = 0;
  for (let at = start; at + 1 < stop; at += 2)
    if (isOdd(((hexValues[text.charCodeAt(at)] as number) << 4) | (hexValues[text.charCodeAt(at + 1)] as number)))
      odd++;
  const bytes = (stop - start) >> 1;
  return bytes > 0 && odd * 10 <= bytes;
}

export function readsAsBase64Text(text: string, start: number, end: number): boolean {
  const stop = Math.min(end, start + telling);
  const bytes = ((stop - start) * 3) >> 2;
  const most = Math.floor(bytes / 10);
  let odd = 0;
  let bits = 0;
  let held = 0;
  for (let at = start; at < stop; at++) {
    held = ((held << 6) | (base64Values[text.charCodeAt(at)] as number)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    if (isOdd((held >> bits) & 0xff) && ++odd > most) return false;
  }
  return bytes > 0;
}

function isOdd(byte: number): boolean {
  return (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) || byte >= 0x7f;
}

const base64Values = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
base64Values[0x2d] = 62; // base64url has - and _ for + and /
base64Values[0x5f] = 63;
const hexValues = valuesOf("0123456789abcdef");
for (const digit of "ABCDEF") hexValues[digit.charCodeAt(0)] = hexValues[digit.toLowerCase().charCodeAt(0)] as number;

function valuesOf(alphabet: string): number[] {
  const values: number[] = Array.from({ length: 128 }, () => 0);
  for (const [value, character] of [...alphabet].entries()) values[character.charCodeAt(0)] = value;
  return values;
}
