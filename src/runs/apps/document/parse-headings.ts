import { fromMarkdown } from "mdast-util-from-markdown";

/** A heading at the top level of the document, not inside a list, a quotation, code or HTML. */
export interface Heading {
  readonly level: number;
  /** Its source without the heading marks. */
  readonly text: string;
  /** Where its first line begins, and where its last one ends, before the line break. */
  readonly start: number;
  readonly end: number;
}

/** Inline constructs do not affect sections and cost most of the parser's time. */
const inlineConstructs = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "hardBreakEscape",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
];
const options = { extensions: [{ disable: { null: inlineConstructs } }] };

/** The headings by CommonMark, from the full parser. */
export function parseHeadings(source: string): readonly Heading[] {
  const headings: Heading[] = [];
  // The parser drops a byte order mark at the beginning and counts without it. The document's own is not in `source`.
  const counted = source.startsWith("\uFEFF") ? `\uFFFD${source.slice(1)}` : source;
  for (const node of fromMarkdown(counted, options).children) {
    if (node.type !== "heading") continue;
    const from = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? 0;
    headings.push({
      level: node.depth,
      text: headingText(source.slice(from, end)),
      start: lineStart(source, from),
      end,
    });
  }
  return headings;
}

const atx = /^#{1,6}(?:[ \t]+|$)([\s\S]*?)(?:[ \t]+#+)?[ \t]*$/;
const underline = /[\r\n]+[ \t]*(?:=+|-+)[ \t]*$/;

/** The text of a heading, from its source with marks. */
export function headingText(source: string): string {
  const marked = atx.exec(source);
  if (marked) return /^#+$/.test(marked[1] ?? "") ? "" : (marked[1] ?? "").trim();
  return source
    .replace(underline, "")
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(" ");
}

/** A heading may be indented by up to three spaces, which belong to it. */
function lineStart(source: string, offset: number): number {
  let start = offset;
  while (start > 0 && source[start - 1] !== "\n" && source[start - 1] !== "\r") start -= 1;
  return start;
}
