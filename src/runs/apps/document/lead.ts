/** What precedes the Markdown: a byte order mark and front matter, each verbatim or empty. */
export interface Lead {
  readonly lead: string;
  readonly rest: string;
}

const opening = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r)/;
const closing = /(?:^|\r\n|\n|\r)---[ \t]*(?:\r\n|\n|\r|$)/;

/** Front matter is a block between two lines of `---` at the very beginning. Without the second one it is Markdown. */
export function splitLead(text: string): Lead {
  const opened = opening.exec(text)?.[0];
  if (opened !== undefined) {
    const closed = closing.exec(text.slice(opened.length));
    if (closed) {
      const end = opened.length + closed.index + closed[0].length;
      return { lead: text.slice(0, end), rest: text.slice(end) };
    }
  }
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  return { lead: text.slice(0, mark), rest: text.slice(mark) };
}
