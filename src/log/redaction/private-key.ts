import type { Finder } from "./finder.ts";

const dashes = "-----";

/**
 * `-----BEGIN … PRIVATE KEY-----` up to its end line, with line breaks raw or escaped; a truncated key up to its end.
 */
export const privateKeyFinder: Finder = {
  anchor: "-----BEGIN",
  wakeAt: 6,
  find: (text, at, scan) => {
    const header = /^-----BEGIN[ +%0-9A-Z]{0,40}PRIVATE(?: |\+|%20)KEY(?:(?: |\+|%20)BLOCK)?-----/.exec(
      text.slice(at, at + 96),
    );
    if (!header) return undefined;
    const body = at + header[0].length;
    const closing = scan.noKeyEnd ? -1 : text.indexOf("-----END", body);
    if (closing < 0) {
      scan.noKeyEnd = true;
      const end = bodyEnd(text, body);
      return end - body < 32 ? undefined : { start: at, end, kind: "private-key" };
    }
    const line = text.indexOf(dashes, closing + 8);
    const end = line >= 0 && line - closing < 80 ? line + dashes.length : closing + 8;
    return { start: at, end, kind: "private-key" };
  },
};

/** The end of base64 in lines, however the breaks are written. */
function bodyEnd(text: string, start: number): number {
  const body = /[A-Za-z0-9+/=\s\\%]*/y;
  body.lastIndex = start;
  return start + (body.exec(text)?.[0].length ?? 0);
}
