import { classOf, credential, isHex, percent } from "./characters.ts";
import type { Span } from "./span.ts";

/** Finds secrets in decoded text; the scan hands itself in. */
type Look = (decoded: string) => readonly Span[];

/**
 * A run of base64 or hex is decoded and looked into. When a secret is inside, the whole run goes: half a run would
 * still decode to half a secret.
 */
export function findInRun(text: string, start: number, end: number, look: Look): Span | undefined {
  if ((end - start) % 2 === 0 && isHex(text, start, end)) {
    return readsAsText(Buffer.from(text.slice(start, Math.min(end, start + 32)), "hex"))
      ? judge(Buffer.from(text.slice(start, end), "hex"), start, end, look)
      : undefined;
  }
  for (const from of possibleStarts(text, start, end)) {
    if (!readsAsText(Buffer.from(text.slice(from, Math.min(end, from + 32)), "base64"))) continue;
    const span = judge(Buffer.from(text.slice(from, end), "base64"), from, end, look);
    if (span) return span;
  }
  return undefined;
}

/** Words with percent escapes are decoded and looked into, each whole. */
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
  if (text[start - 1] === "\\") starts.push(start + 1);
  for (let at = text.indexOf("/", start); at >= 0 && at < end - 20 && starts.length < 6; at = text.indexOf("/", at + 1))
    starts.push(at + 1);
  return starts;
}

function judge(bytes: Buffer, start: number, end: number, look: Look): Span | undefined {
  const [first] = look(bytes.toString("utf8"));
  return first ? { start, end, kind: first.kind } : undefined;
}

/** Nearly every byte printable: chance passes this once in thousands. */
function readsAsText(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false;
  let odd = 0;
  for (const byte of bytes)
    if ((byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 0x7f || byte >= 0x80) odd++;
  return odd * 10 <= bytes.length;
}
