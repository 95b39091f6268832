const line = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g;

/** The lines of a text, each with its line break: joined, they are the text again. */
export function linesOf(text: string): string[] {
  return text.match(line) ?? [];
}

/** How a line reads, whatever ends it. */
export function withoutBreak(text: string): string {
  return text.replace(/[\r\n]+$/, "");
}

export type LineBreak = "\n" | "\r\n" | "\r";

/** The line break that the text uses first; a text of one line gets the plain one. */
export function lineBreakOf(text: string): LineBreak {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === "\r\n" || found === "\r" ? found : "\n";
}

/** Text from elsewhere in the document's own line breaks. One that brings others on purpose is left as it is. */
export function withBreaks(text: string, lineBreak: LineBreak): string {
  return lineBreak === "\n" || text.includes("\r") ? text : text.replaceAll("\n", lineBreak);
}

/** What stands at the end of a text and is not seen. */
export function trailingBlank(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** Whether the next line would stand after a blank one, or first. */
export function endsBlank(text: string): boolean {
  const line = /(?:\r\n|\n|\r)$/.exec(text);
  if (!line) return text === "";
  return /(?:^|[\r\n])[ \t]*$/.test(text.slice(Math.max(0, line.index - 200), line.index));
}
