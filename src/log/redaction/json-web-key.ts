import { base64, runEnd } from "./characters.ts";
import type { Finder } from "./finder.ts";
import type { Span } from "./span.ts";

/** The private members of a JSON Web Key (RFC 7518, 6.2.2, 6.3.2 and 6.4.1), each with its least length. */
const privateMembers: ReadonlyMap<string, number> = new Map([
  ...["d", "p", "q", "dp", "dq", "qi"].map((name) => [name, 40] as const),
  ["k", 16],
]);
/** In a key of 8192 bits no member is further from `kty`. */
const reach = 4_096;

/** Whether the object is such a key: every one has `kty`. */
export function isJsonWebKey(record: object): boolean {
  return Object.hasOwn(record, "kty");
}

export function isPrivateMember(name: string, value: unknown): boolean {
  const least = privateMembers.get(name);
  return least !== undefined && typeof value === "string" && value.length >= least && /^[\w+/-]+={0,2}$/.test(value);
}

/** In text: the name in quotes, in any escaping, its value, and `kty` not far from it. */
function memberIn(name: string, anchor: string): Finder {
  const opening = new RegExp(`^"${name}\\\\*"\\s{0,8}:\\s{0,8}\\\\*"`);
  return {
    anchor,
    find: (text, at) => {
      const before = opening.exec(text.slice(at, at + 48));
      if (!before) return undefined;
      const start = at + before[0].length;
      const least = start + (privateMembers.get(name) ?? 0);
      if (runEnd(text, start, base64, least - start) < least) return undefined;
      if (!kindOfKey.test(text.slice(Math.max(0, at - reach), at)) && !kindOfKey.test(text.slice(least, least + reach)))
        return undefined;
      return { start, end: runEnd(text, least, base64), kind: "private-key" };
    },
  };
}

const kindOfKey = /"kty\\*"\s{0,8}:/;

export const jsonWebKeyFinders: readonly Finder[] = [...privateMembers.keys()].flatMap((name) =>
  // A name of one letter is followed by its quote, or the backslash before that.
  name.length > 1 ? [memberIn(name, `"${name}`)] : [memberIn(name, `"${name}"`), memberIn(name, `"${name}\\`)],
);

/**
 * Possible keys in a stream so far, whose members can be judged only together; an incomplete one ends beyond the text.
 */
export function* jsonWebKeysIn(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(/"(?:kty|[dkpq]|d[pq]|qi)\\*"\s*(?::[^}]*(?:\}|$)|$)/g))
    yield { start: index, end: index + found.length + (found.endsWith("}") ? 0 : 1), kind: "private-key" };
}
