/** A character that a reader would not see, or would see as another. */
export interface HiddenCharacter {
  /** Its place in the text, in UTF-16 units. */
  readonly at: number;
  /** `U+202E` */
  readonly code_point: string;
  readonly what: string;
}

export interface VisibleText {
  readonly shown: string;
  readonly hidden: readonly HiddenCharacter[];
}

const named: ReadonlyMap<number, string> = new Map([
  [0x00ad, "soft hyphen"],
  [0x034f, "grapheme joiner"],
  [0x061c, "Arabic letter mark"],
  [0x115f, "Hangul filler"],
  [0x1160, "Hangul filler"],
  [0x180e, "Mongolian vowel separator"],
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "end of direction"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "end of isolate"],
  [0x2800, "blank Braille pattern"],
  [0x3164, "Hangul filler"],
  [0xfeff, "byte order mark"],
  [0xffa0, "Hangul filler"],
]);

// Controls, formats, private use, unassigned, separators other than the plain space, and what selects another glyph.
const unseen =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/u;

// Letters of other scripts that look like Latin ones: in a word that also has Latin letters they are a disguise.
const lookalike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}]/u;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
const latin = /\p{Script=Latin}/u;

/**
 * The text with everything that hides, reorders or poses as something else written out. Line breaks stay line breaks, and
 * the marks themselves cannot be forged: a `⟦` in the text is written out too.
 */
export function escapeHiddenCharacters(text: string): VisibleText {
  const disguised = disguises(text);
  const hidden: HiddenCharacter[] = [];
  let shown = "";
  let at = 0;
  for (const character of text) {
    const what = whatIs(character, disguised.has(at));
    if (what === undefined) shown += character;
    else {
      const code_point = nameOf(character);
      shown += `⟦${code_point} ${what}⟧`;
      hidden.push({ at, code_point, what });
    }
    at += character.length;
  }
  return { shown, hidden };
}

function whatIs(character: string, isDisguised: boolean): string | undefined {
  if (character === "\n") return undefined;
  if (character === "⟦" || character === "⟧") return "bracket";
  if (isDisguised) return `looks like a Latin letter: ${character}`;
  const code = character.codePointAt(0) ?? 0;
  const name = named.get(code);
  if (name !== undefined) return name;
  if (code >= 0xe0000 && code <= 0xe007f) return "invisible tag";
  return unseen.test(character) ? "invisible or control character" : undefined;
}

/** Places of letters that pose as Latin ones within a word that has Latin letters, and full-width and styled ones anywhere. */
function disguises(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  for (const found of text.matchAll(word)) {
    const isMixed = latin.test(found[0]);
    let at = found.index;
    for (const character of found[0]) {
      const code = character.codePointAt(0) ?? 0;
      const isStyled = (code >= 0xff01 && code <= 0xff5e) || (code >= 0x1d400 && code <= 0x1d7ff);
      if (lookalike.test(character) && (isMixed || isStyled)) places.add(at);
      at += character.length;
    }
  }
  return places;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
