/** The value if it is a text, otherwise an empty text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A topic from the name of a file: `docs/guides/write-a-hook.md` is "Write a hook". */
export function topicOfPath(path: string): string {
  const parts = path.split("/");
  const name = (parts.at(-1) ?? path).replace(/\.[a-z0-9]+$/i, "");
  const isGeneral = /^(?:readme|index)$/i.test(name);
  const folder = parts.at(-2);
  if (isGeneral && folder !== undefined) return titleInWords(folder);
  return isGeneral ? "Overview" : titleInWords(name);
}

/** A title for people, from a name or a request. */
export function titleInWords(text: string): string {
  const words = text.replaceAll(/[_-]+/g, " ").replaceAll(/\s+/g, " ").trim();
  return words === "" ? "Untitled" : words.charAt(0).toUpperCase() + words.slice(1, 200);
}

const common = new Set(
  "a an and any are as at be been but by can could did do does for from get give had has have how i if in into is it its make may me more most much my need no not of on one or our out over own please report say she should so some such than that the their them then there these they this those to up us use was we were what when where which while who whom why will with would write you your about across after all also each explain describe document overview guide summary short brief being done keep keeps protect protects protected work works working made makes making show shows help helps find finds tell tells look looks happen happens compare between way ways thing things first last new good best really very just only like want wants need needs way using used".split(
    " ",
  ),
);

/** The keywords of a request, in their order. */
export function tellingWords(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];
  const telling = words.filter((word) => word.length > 2 && !common.has(word.toLowerCase()));
  return [...new Map(telling.map((word) => [word.toLowerCase(), word])).values()];
}

/** Whether a text contains a word, also in an inflected form. */
export function speaksOf(text: string, word: string): boolean {
  const stem = word.toLowerCase().replace(/(?:'s|ies|ing|ed|es|s|y)$/, "");
  return text.toLowerCase().includes(stem.length > 2 ? stem : word.toLowerCase());
}

/** Whether the text has prose besides tables, lists of names and code. */
export function isProse(text: string): boolean {
  return paragraphsOf(text).some((paragraph) => paragraph.length >= 60 && /[.!?]/.test(paragraph));
}

/** The paragraphs and points of a text, without headings, tables, code and footnotes. */
export function paragraphsOf(text: string): readonly string[] {
  return text
    .replaceAll(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1.*$/gm, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((paragraph) => paragraph.trim().replace(/^(?:[-*]|\d+\.) /, ""))
    .filter((paragraph) => /^[\p{L}\p{N}"'*_`(]/u.test(paragraph) && !paragraph.startsWith("[^"));
}

/** The sentences of a paragraph; a full stop inside code or emphasis ends none. */
export function sentencesOf(paragraph: string): readonly string[] {
  const words = paragraph.replaceAll(/\s+/g, " ").trim();
  const ends = [...words.matchAll(/`[^`]*`|\*\*[^*]*\*\*|[.!?](?=\s|\[|$)/g)].filter(([found]) => found.length === 1);
  let from = 0;
  const sentences = ends.map(({ index }) => {
    const sentence = words.slice(from, index + 1).trim();
    from = index + 1;
    return sentence;
  });
  const rest = words.slice(from).trim();
  return rest === "" || /^(?:\[\^[^\]]+\])+$/.test(rest) ? sentences : [...sentences, rest];
}

/** The open code fence after this line; undefined outside of one. A fence is closed by the same character, as long or longer. */
export function fenceAfter(fence: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (mark === undefined) return fence;
  if (fence === undefined) return mark;
  const isEnd = mark.startsWith(fence) && line.trim() === mark;
  return isEnd ? undefined : fence;
}

/** Joins words for a sentence: *honey*, *bees* and *winter*. */
export function inEmphasis(words: readonly string[], joint: "and" | "or"): string {
  const marked = words.map((word) => `*${word}*`);
  const last = marked.pop() ?? "";
  return marked.length > 0 ? `${marked.join(", ")} ${joint} ${last}` : last;
}
