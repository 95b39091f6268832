import type { Finder } from "./finder.ts";
import { isRandomLooking } from "./looks-random.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { Span } from "./span.ts";

/** The name of the header and everything up to its first cookie, in text and in JSON in any escaping. */
const header = /^cookie(?:\\*["'])?\s{0,4}:[\s[]{0,4}(?:\\*["'])?/i;
const pair = /([\w!#$%&*+.^`|~-]{1,256})(?:=([^\s"',;\\]*))?(;\s{0,4})?/y;
/** Names of cookies that identify a session or a user, however the value looks. */
const telling = /(?:^|[._-])(?:sid|s?sess(?:ion)?(?:[_-]?id)?|auth|token|jwt|remember[\w-]*)$|sessi?on_?id$|sessid$/i;

/** `Cookie:` and `Set-Cookie:`: credentials are redacted; preferences, such as a theme, are kept. */
export const cookieFinder: Finder = {
  anchor: "cookie",
  wakeAt: 3,
  find: (text, at, scan) => {
    if (at < scan.noCookieBefore) return undefined;
    const { end, secret } = readCookies(text, at);
    if (!secret) scan.noCookieBefore = end;
    return secret;
  },
};

/** The end of the header, and the span from the first to the last of its secrets. */
function readCookies(text: string, at: number): { readonly end: number; readonly secret: Span | undefined } {
  const opening = header.exec(text.slice(at, at + 40));
  if (!opening) return { end: at, secret: undefined };
  let end = at + opening[0].length;
  let secret: Span | undefined;
  for (let hasMore = true; hasMore; ) {
    pair.lastIndex = end;
    const found = pair.exec(text);
    if (!found) break;
    const [all, name = "", value = "", next = ""] = found;
    end += all.length;
    hasMore = next !== "";
    if (!isSecret(name, value)) continue;
    const stop = end - next.length;
    secret = { start: secret?.start ?? stop - value.length, end: stop, kind: "cookie" };
  }
  return { end, secret };
}

function isSecret(name: string, value: string): boolean {
  if (value.length >= 16 && isRandomLooking(value, 0, Math.min(value.length, 128))) return true;
  return value.length >= 8 && telling.test(name) && !isPlaceholder(value);
}

/** The headers of a stream so far, which can be judged only whole; an incomplete one ends beyond the text. */
export function* cookiesIn(text: string): Generator<Span> {
  let done = 0;
  for (const { index } of text.matchAll(/cookie\\*["']?\s{0,4}:/gi)) {
    if (index < done) continue;
    done = readCookies(text, index).end;
    yield { start: index, end: done === text.length ? done + 1 : done, kind: "cookie" };
  }
}
