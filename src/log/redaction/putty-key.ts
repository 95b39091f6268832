import type { Finder } from "./finder.ts";
import type { Span } from "./span.ts";

export const privateLinesName = "Private-Lines:";
/** A line of such a key; a break is raw, escaped once or more often, or percent-encoded. */
const puttyLine = /[A-Za-z0-9+/]{1,64}={0,2}(?:\s|\\+[rn]|%0[AaDd])*/y;
/** Four times the lines of the largest key, and with the longest breaks still less than a stream holds of a key. */
const mostLines = 800;
/** The smallest private part has 48 characters. */
const leastCharacters = 40;

/** The private part of a key in PuTTY's format: as many lines as its header states. The public part is kept. */
export const puttyKeyFinder: Finder = {
  anchor: privateLinesName,
  wakeAt: "Private-Lines".indexOf("e-L"),
  find: (text, at) => {
    const { start, end } = readPrivateLines(text, at);
    return end - start < leastCharacters ? undefined : { start, end, kind: "private-key" };
  },
};

/** From the first to the last of the lines; `isOver` where no later text could belong to them. */
function readPrivateLines(
  text: string,
  at: number,
): { readonly start: number; readonly end: number; readonly isOver: boolean } {
  const header = /^Private-Lines: ?(?:([0-9]{1,3})(?:\s|\\+[rn]|%0[AaDd])+)?/.exec(text.slice(at, at + 64));
  const start = at + (header?.[0].length ?? 0);
  if (header?.[1] === undefined) return { start, end: start, isOver: text.length - at >= 64 };
  let end = start;
  let last = start;
  for (let line = Math.min(Number(header[1]), mostLines); line > 0; line--) {
    puttyLine.lastIndex = end;
    const found = puttyLine.exec(text)?.[0];
    if (found === undefined) return { start, end: last, isOver: end < text.length };
    last = end + (/^[A-Za-z0-9+/=]+/.exec(found)?.[0].length ?? 0);
    end += found.length;
  }
  return { start, end: last, isOver: end < text.length };
}

/** The keys of a stream so far; an incomplete one ends beyond the text. */
export function* puttyKeysIn(text: string): Generator<Span> {
  for (let at = text.indexOf(privateLinesName); at >= 0; ) {
    const { end, isOver } = readPrivateLines(text, at);
    yield { start: at, end: isOver ? end : text.length + 1, kind: "private-key" };
    at = text.indexOf(privateLinesName, Math.max(end, at + 1));
  }
}
