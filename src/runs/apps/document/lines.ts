const line = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g;

/** The lines of a text, each with its line break; joined, they give the text. */
export function linesOf(text: string): string[] {
  return text.match(line) ?? [];
}

/** A line without its line break. */
export function withoutBreak(text: string): string {
  return text.replace(/[\r\n]+$/, "");
}

export type LineBreak = "\n" | "\r\n" | "\r";

/** The first line break of the text; "\n" for a text of one line. */
export function lineBreakOf(text: string): LineBreak {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === "\r\n" || found === "\r" ? found : "\n";
}

/** Converts inserted text to the document's line breaks. Text that already contains "\r" stays unchanged. */
export function withBreaks(text: string, lineBreak: LineBreak): string {
  return lineBreak === "\n" || text.includes("\r") ? text : text.replaceAll("\n", lineBreak);
}

/** The white space at the end of a text. */
export function trailingBlank(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** Whether the text is empty or ends with a blank line. */
export function endsBlank(text: string): boolean {
  const line = /(?:\r\n|\n|\r)$/.exec(text);
  if (!line) return text === "";
  return /(?:^|[\r\n])[ \t]*$/.test(text.slice(Math.max(0, line.index - 200), line.index));
}
