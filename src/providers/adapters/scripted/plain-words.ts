/** What a file is about, as far as its name tells: `docs/guides/write-a-hook.md` is "Write a hook". */
export function topicOfPath(path: string): string {
  const parts = path.split("/");
  const name = (parts.at(-1) ?? path).replace(/\.[a-z0-9]+$/i, "");
  const isGeneral = /^(?:readme|index)$/i.test(name);
  const folder = parts.at(-2);
  if (isGeneral && folder !== undefined) return titleInWords(folder);
  return isGeneral ? "Overview" : titleInWords(name);
}

/** Words for people, from a name or a request. */
export function titleInWords(text: string): string {
  const words = text.replaceAll(/[_-]+/g, " ").replaceAll(/\s+/g, " ").trim();
  return words === "" ? "Untitled" : words.charAt(0).toUpperCase() + words.slice(1, 200);
}

const common = new Set(
  "a an and any are as at be been but by can could did do does for from get give had has have how i if in into is it its make may me more most much my need no not of on one or our out over own please report say she should so some such than that the their them then there these they this those to up us use was we were what when where which while who whom why will with would write you your about across after all also each explain describe document overview guide summary short brief".split(
    " ",
  ),
);

/** The words of a request that carry its meaning, in their order. */
export function tellingWords(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];
  const telling = words.filter((word) => word.length > 2 && !common.has(word.toLowerCase()));
  return [...new Map(telling.map((word) => [word.toLowerCase(), word])).values()];
}

/** Whether a text speaks of a word, also in another form of it. */
export function speaksOf(text: string, word: string): boolean {
  const stem = word.toLowerCase().replace(/(?:'s|ies|ing|ed|es|s|y)$/, "");
  return text.toLowerCase().includes(stem.length > 2 ? stem : word.toLowerCase());
}
