import { alphanumeric, classOf, credential, digit, lower, runEnd, startsWord, upper } from "./characters.ts";
import type { Finder } from "./finder.ts";
import type { Span } from "./span.ts";

/** `Bearer …` and `Token …`: the word stays, the credential goes. Behind `Authorization:` anything counts as one. */
const bearerFinder: Finder = {
  anchor: "bearer",
  find: (text, at) => {
    const start = afterGap(text, at + 6);
    if (start < 0 || !startsWord(text, at)) return undefined;
    const end = runEnd(text, start, credential);
    const length = end - start;
    const isHeader = followsAuthorization(text, at);
    if (length < (isHeader ? 4 : 16) || (!isHeader && !isUnlikelyWord(text, start, end))) return undefined;
    return { start, end: trimEnd(text, end), kind: "bearer" };
  },
};

/** `Basic` and base64 that decodes to `user:password`. */
const basicFinder: Finder = {
  anchor: "basic",
  find: (text, at) => {
    const start = afterGap(text, at + 5);
    if (start < 0 || !startsWord(text, at)) return undefined;
    const end = runEnd(text, start, credential);
    if (end - start < 4) return undefined;
    if (!followsAuthorization(text, at) && !isUserAndPassword(text.slice(start, Math.min(end, start + 1024))))
      return undefined;
    return { start, end: trimEnd(text, end), kind: "basic" };
  },
};

/** A name that only a secret has, an equals sign or colon in any quoting, then the value. */
function assigned(options: {
  anchor: string;
  wakeAt?: number;
  kind: string;
  least: number;
  exactCase?: boolean;
}): Finder {
  return {
    anchor: options.anchor,
    ...(options.wakeAt === undefined ? {} : { wakeAt: options.wakeAt }),
    find: (text, at): Span | undefined => {
      if (options.exactCase && !text.startsWith(options.anchor, at)) return undefined;
      const gap = /^[\s"'\\:=]*/.exec(text.slice(at + options.anchor.length, at + options.anchor.length + longestGap));
      const start = at + options.anchor.length + (gap?.[0].length ?? 0);
      if (!options.anchor.endsWith("=") && start === at + options.anchor.length) return undefined;
      const end = runEnd(text, start, credential);
      return end - start < options.least ? undefined : { start, end, kind: options.kind };
    },
  };
}

/** `xyz8Q~…`: the client secrets of Entra ID, three characters before the mark and 31 or more behind it. */
const entraFinders: readonly Finder[] = [..."0123456789"].map((number) => ({
  anchor: `${number}Q~`,
  find: (text, at) => {
    const end = runEnd(text, at + 3, credential);
    if (!text.startsWith(`${number}Q~`, at) || end - at - 3 < 31 || at < 3) return undefined;
    return { start: at - 3, end: trimEnd(text, end), kind: "azure-key" };
  },
}));

export const credentialFinders: readonly Finder[] = [
  bearerFinder,
  basicFinder,
  assigned({ anchor: "secret_access_key", wakeAt: 5, kind: "aws-key", least: 32 }),
  assigned({ anchor: "secretaccesskey", wakeAt: 5, kind: "aws-key", least: 32 }),
  assigned({ anchor: "AccountKey=", kind: "azure-key", least: 40 }),
  assigned({ anchor: "SharedAccessKey=", kind: "azure-key", least: 40 }),
  assigned({ anchor: "SharedAccessSignature=", kind: "azure-key", least: 40 }),
  assigned({ anchor: "sig=", kind: "azure-key", least: 43, exactCase: true }),
  ...entraFinders,
];

/** JSON in JSON in JSON has its escapes escaped: a quote there stands behind seven backslashes. */
const longestGap = 40;

/** Where the value begins, past blanks and quotes in any escaping; -1 when none stands there. */
function afterGap(text: string, start: number): number {
  const gap = /^(?:[\s:+="]|%20|\\+(?:[tnrf"]|u00(?:0[9a-d]|20)))+/.exec(text.slice(start, start + longestGap));
  return gap ? start + gap[0].length : -1;
}

function followsAuthorization(text: string, at: number): boolean {
  return /authorization[\s"'\\:=]+(?:%20)?$|authorization%3A(?:%20|\+)?$/i.test(
    text.slice(Math.max(0, at - "authorization".length - longestGap), at),
  );
}

/** Words are of one case and have no digits; a token that long is neither. */
function isUnlikelyWord(text: string, start: number, end: number): boolean {
  let seen = 0;
  let switches = 0;
  let previous = 0;
  for (let at = start; at < Math.min(end, start + 128); at++) {
    const bits = classOf(text.charCodeAt(at));
    seen |= bits;
    if ((bits & alphanumeric) !== 0 && previous !== 0 && (bits & (upper | lower | digit)) !== previous) switches++;
    previous = bits & (upper | lower | digit);
  }
  return ((seen & digit) !== 0 && switches >= 2) || switches >= 5 || end - start >= 40;
}

function isUserAndPassword(encoded: string): boolean {
  const plain = Buffer.from(encoded.replaceAll("%3D", "="), "base64").toString("latin1");
  return /^[\x20-\x7e\x80-\xff]*:[\x20-\x7e\x80-\xff]*$/.test(plain) && plain.length >= 3;
}

/** A full stop or an escape's percent sign at the end belongs to the sentence. */
function trimEnd(text: string, end: number): number {
  let at = end;
  while (text[at - 1] === "." || text[at - 1] === "%") at--;
  return at;
}
