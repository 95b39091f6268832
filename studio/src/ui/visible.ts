// Characters that a reader cannot see, or that change the text's direction: a person who decides must see them.
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

/** Invisible characters that belong to the spelling and hide nothing: the parts of one emoji, the joiner inside an Arabic word. */
const written =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|[0-9#*]\ufe0f\u20e3|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/u;
const either = new RegExp(`(${written.source})|${hidden.source}`, "gu");
const rightToLeft = /^.*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}].*$/gmu;

/** Exactly what is there: every invisible or direction-changing character written as its code point. */
export function visibleBytes(text: string): string {
  return text.replace(hidden, codePoint);
}

/**
 * The same for reading: characters that belong to an emoji or a word stay, and a right-to-left line is isolated, so that it does
 * not reorder the text beside it.
 */
export function visible(text: string): string {
  return visiblePart(text).replace(rightToLeft, (line) => `\u2068${line}\u2069`);
}

/** A part of a line, in the direction of the whole line. */
export function visiblePart(text: string): string {
  return text.replace(either, (found: string, kept: string | undefined) => kept ?? codePoint(found));
}

function codePoint(found: string): string {
  return `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
