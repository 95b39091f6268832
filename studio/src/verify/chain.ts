import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical } from "../../../src/proof/bundle/page/canonical.ts";

export type ChainState =
  | { readonly ok: true; readonly events: number; readonly head: string }
  | {
      readonly ok: false;
      readonly at: number;
      readonly expected: string;
      readonly found: string;
      readonly what: string;
    };

export const genesis = "0".repeat(64);

/**
 * Proves lines of a log from their bytes, in the browser, without asking the server to be believed: each line must be
 * the canonical form of what it says, name the hash before it, and carry the hash of everything else in it.
 */
export function verifyLines(
  lines: readonly string[],
  from: { readonly seq: number; readonly head: string },
): ChainState {
  let { seq, head } = from;
  for (const text of lines) {
    seq++;
    const event = parse(text);
    if (!event)
      return { ok: false, at: seq, expected: "a JSON object", found: text.slice(0, 80), what: "the line is no event" };
    if (event["seq"] !== seq) return bad(seq, String(seq), String(event["seq"]), "an event is missing or out of place");
    if (event["prev_hash"] !== head)
      return bad(seq, head, String(event["prev_hash"]), "it does not follow the event before it");
    if (canonical(event) !== text)
      return bad(seq, "the canonical form", "other bytes", "the bytes are not the canonical form of what they say");
    const computed = bytesToHex(sha256(utf8ToBytes(withoutHash(event, text))));
    if (computed !== event["hash"])
      return bad(seq, computed, String(event["hash"]), "it was changed after it was written");
    head = computed;
  }
  return { ok: true, events: seq, head };
}

/** What was hashed. The text is known to be canonical: the hash is cut out of it where its key stands, instead of writing it all again. */
function withoutHash(event: Record<string, unknown>, text: string): string {
  const before = `{"actor":${JSON.stringify(event["actor"])},`;
  const named = `"hash":${JSON.stringify(event["hash"])},`;
  if (text.startsWith(before) && text.startsWith(named, before.length))
    return before + text.slice(before.length + named.length);
  const { hash: _hash, ...rest } = event;
  return canonical(rest);
}

function bad(at: number, expected: string, found: string, what: string): ChainState {
  return { ok: false, at, expected, found, what };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the caller says which line
  }
}
