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

// Cc control, Cf format (zero width, bidi, tags), Co private use, Cs lone surrogates, Zl and Zp line and paragraph
// separators, Zs spaces other than the plain one, variation selectors, and fillers that no category covers.
const hidden =
  /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}]|\p{Variation_Selector}|\u034f|[\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5/gu;
