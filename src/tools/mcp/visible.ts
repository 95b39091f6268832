/**
 * A stranger's text with nothing hidden in it: control characters, invisible and direction-changing characters, tags,
 * variation selectors and odd spaces are written as code points. Ordinary letters of any script stay.
 */
export function visible(text: string): string {
  return text.replaceAll(hidden, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Whether a person who reads the text sees all of it. */
export function hidesSomething(text: string): boolean {
  return [...text.matchAll(hidden)].some(([character]) => character !== "\n" && character !== "\t");
}

// Cc control, Cf format (zero width, bidi, tags), Co private use, Cs lone surrogates, Zl and Zp line and paragraph
// separators, Zs spaces other than the plain one; fillers and selectors that no category covers.
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
