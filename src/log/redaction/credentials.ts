import { alphanumeric, base64, classOf, credential, digit, lower, runEnd, startsWord, upper } from "./characters.ts";
import { isPasswordVariable } from "./command-line.ts";
import type { Finder } from "./finder.ts";
import { isRandomLooking } from "./looks-random.ts";
import type { Span } from "./span.ts";

/** The names that `named` looks for, and three characters of each that are in no hash and in few words. */
const telling: readonly (readonly [name: string, wake: string])[] = [
  ["api_key", "i_k"],
  ["api-key", "i-k"],
  ["apikey", "ike"],
  ["api_token", "i_t"],
  ["auth_token", "h_t"],
  ["auth-token", "h-t"],
  ["authtoken", "hto"],
  ["access_token", "s_t"],
  ["accesstoken", "tok"],
  ["refresh_token", "h_t"],
  ["session_token", "n_t"],
  ["sessiontoken", "nto"],
  ["client_secret", "t_s"],
  ["clientsecret", "lie"],
  ["secret_key", "t_k"],
  ["secretkey", "tke"],
  ["private_key", "e_k"],
  ["password", "swo"],
];
const tellingKey = new RegExp(
  `(?:authorization|cookie|secret_access_key|secretaccesskey|${telling.map(([name]) => name).join("|")})$`,
  "i",
);

/** `Bearer …`: the word is kept, the credential is redacted. After `Authorization:` any value counts as one. */
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

/** A name that only secrets have, an equals sign or colon in any quoting, then the value. */
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

/** Keys with their vendor's mark in the middle, and this many characters before and after it. */
function marked(options: { mark: string; kind: string; before: number; after: number }): Finder {
  const { mark, kind, before, after } = options;
  return {
    anchor: mark,
    wakeAt: 0,
    find: (text, at) => {
      if (!text.startsWith(mark, at) || at < before) return undefined;
      for (let back = at - before; back < at; back++)
        if ((classOf(text.charCodeAt(back)) & base64) === 0) return undefined;
      const end = runEnd(text, at + mark.length, base64);
      return end - at - mark.length < after ? undefined : { start: at - before, end, kind };
    },
  };
}

/**
 * A common name of secrets (`MISTRAL_API_KEY=…`, `"client_secret": "…"`) and a value that looks random: most keys
 * without a shape of their own appear like this. A value that reads like a word or a reference is kept.
 */
function named(name: string, wake: string): Finder {
  return {
    anchor: name,
    wakeAt: name.indexOf(wake),
    find: (text, at) => {
      const start = afterAssignment(text, at + name.length);
      if (start < 0) return undefined;
      return drawnFrom(text, start) ?? (name === "password" ? composedFrom(text, start) : undefined);
    },
  };
}

/** `Authorization: Token …`, `ApiKey …`, or nothing but the key. */
const authorizationFinder: Finder = {
  anchor: "authorization",
  wakeAt: 6,
  find: (text, at) => {
    const gap = afterAssignment(text, at + 13);
    if (gap < 0) return undefined;
    const scheme = /^[A-Za-z][A-Za-z-]{1,19}(?: |\+|%20)+/.exec(text.slice(gap, gap + 32))?.[0] ?? "";
    if (/^b(?:earer|asic)/i.test(scheme)) return undefined; // they have finders of their own
    const start = gap + scheme.length;
    return drawnFrom(text, start);
  },
};

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
  marked({ mark: "JQQJ99", kind: "azure-key", before: 52, after: 20 }),
  marked({ mark: "AZDO", kind: "azure-key", before: 76, after: 4 }),
  marked({ mark: "+ACR", kind: "azure-key", before: 42, after: 6 }),
  marked({ mark: ".atlasv1.", kind: "terraform-token", before: 14, after: 60 }),
  authorizationFinder,
  ...telling.map(([name, wake]) => named(name, wake)),
];

/** Whether a value under this key may be a secret because of the key. */
export function isTellingKey(key: string): boolean {
  return tellingKey.test(key) || isPasswordVariable(key);
}

/**
 * A contract in force with its hash, as a session records it: `tool:bank.update_password` is the name of a tool and no name
 * of a secret. With the hash redacted the record would not fit its contract, and no session could start.
 */
export function isPinnedName(key: string, value: unknown): boolean {
  return /^(?:tool|skill|hook):/.test(key) && typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** JSON in JSON in JSON has its escapes escaped: a quote there follows seven backslashes. */
const longestGap = 40;

/** The start of the value, past blanks and quotes in any escaping; -1 when there is none. */
function afterGap(text: string, start: number): number {
  const gap = /^(?:[\s:+="]|%20|\\+(?:[tnrf"]|u00(?:0[9a-d]|20)))+/.exec(text.slice(start, start + longestGap));
  return gap ? start + gap[0].length : -1;
}

/** The start of the value of an assignment, in any quoting; -1 where nothing is assigned. */
function afterAssignment(text: string, start: number): number {
  const gap = /^["'\\\]\s]*(?:=>|:=|[:=]|%3[AaDd])["'\\\s[]*(?:%20)?/.exec(text.slice(start, start + longestGap));
  return gap ? start + gap[0].length : -1;
}

/** The value that begins here, if it looks random; decided from its beginning, so that a failure has a bounded cost. */
function drawnFrom(text: string, start: number): Span | undefined {
  const looked = runEnd(text, start, credential, 128);
  if (trimEnd(text, looked) - start < 16 || !isRandomLooking(text, start, looked)) return undefined;
  return { start, end: trimEnd(text, runEnd(text, looked, credential)), kind: "credential" };
}

/** At least 10 characters up to a quote, a blank or the end of the value. */
const composed = /^[A-Za-z0-9!@#$%^&*+?~=_-]{10,64}(?=$|[\s"'`\\,;)\]}])/;

/**
 * `password: Hunter2-verySecret-99`: what people compose where a rule asks for small and capital letters, digits and a sign.
 * Identifiers, types and calls have no such sign, and paths and references have others.
 */
function composedFrom(text: string, start: number): Span | undefined {
  const value = composed.exec(text.slice(start, start + 80))?.[0];
  if (value === undefined || /^[$%]/.test(value)) return undefined;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[!@#$%^&*+?~=-]/];
  return kinds.every((kind) => kind.test(value)) ? { start, end: start + value.length, kind: "password" } : undefined;
}

function followsAuthorization(text: string, at: number): boolean {
  return /authorization[\s"'\\:=]+(?:%20)?$|authorization%3A(?:%20|\+)?$/i.test(
    text.slice(Math.max(0, at - "authorization".length - longestGap), at),
  );
}

/** Words are of one case and have no digits; a token of this length is neither. */
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
