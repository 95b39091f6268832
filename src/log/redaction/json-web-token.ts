import { runEnd, token } from "./characters.ts";
import type { Finder } from "./finder.ts";

/** Three dotted parts, the first of which begins with `{"` in base64; the signature may be missing. */
export const jsonWebTokenFinder: Finder = {
  anchor: "eyJ",
  find: (text, at, scan) => {
    if (at < scan.readTo || !text.startsWith("eyJ", at)) return undefined;
    const header = runEnd(text, at, token);
    scan.readTo = header;
    if (header - at < 12 || text[header] !== ".") return undefined;
    // A token that is encrypted with a shared key has an empty second part.
    const second = text[header + 1] === "." ? header + 1 : header;
    const payload = runEnd(text, second + 1, token);
    if (payload - second < 9) return undefined;
    // Five parts are an encrypted token; all dotted parts are taken.
    let end = payload;
    while (text[end] === "." && end < text.length) {
      const next = runEnd(text, end + 1, token);
      if (next === end + 1) break;
      end = next;
    }
    return { start: at, end, kind: "jwt" };
  },
};
