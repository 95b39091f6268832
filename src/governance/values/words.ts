/** Text as it is compared: compatibility forms folded, cases folded. */
export function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** Words that carry no choice: a title may hold them though the person did not say them. */
const functionWords = new Set(
  "a an and are as at be by for from has have i in into is it its me my of on or our re that the their this to us was we were will with you your".split(
    " ",
  ),
);

export function isFunctionWord(word: string): boolean {
  return functionWords.has(word);
}

/** The words and numbers of a text, folded. */
export function wordsOf(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A text with its words, made once: every value of every call is looked up in it. */
export interface Words {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

export function wordsIn(text: string): Words {
  return { text: folded(text), words: new Set(wordsOf(text)) };
}

const inToken = /[\p{L}\p{N}_@/+-]/u;
const inWord = /[\p{L}\p{N}]/u;

/**
 * Whether a folded value stands in a folded text as a whole: `ann@a.example` does not stand in `joann@a.example`, nor in
 * `ann@a.example.evil.example`.
 */
export function standsIn(text: string, value: string): boolean {
  if (value === "") return false;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    if (!continues(text[at - 1], text[at - 2]) && !continues(text[end], text[end + 1])) return true;
  }
  return false;
}

/** A dot or a colon belongs to a token only where the token goes on behind it. */
function continues(next: string | undefined, beyond: string | undefined): boolean {
  if (next === undefined) return false;
  if (inToken.test(next)) return true;
  return (next === "." || next === ":") && beyond !== undefined && inWord.test(beyond);
}

/** Letters of two scripts in one word: `pаypal` with a Cyrillic letter looks like what it is not, and is never a match. */
export function mixesScripts(text: string): boolean {
  return (text.match(/\p{L}+/gu) ?? []).some((word) => {
    const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
    return scripts.filter((script) => script.test(word)).length > 1;
  });
}

/** Whether every word of a value that carries a choice is among these. */
export function allAmong(value: string, known: (word: string) => boolean): boolean {
  const words = wordsOf(value);
  return words.length > 0 && words.every((word) => isFunctionWord(word) || known(word));
}
