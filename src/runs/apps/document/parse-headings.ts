import { fromMarkdown } from "mdast-util-from-markdown";

/** A heading that stands in the document itself, not in a list, a quotation, code or HTML. */
export interface Heading {
  readonly level: number;
  /** As it stands in the source, without its marks. */
  readonly text: string;
  /** Where its first line begins, and where its last one ends, before the line break. */
  readonly start: number;
  readonly end: number;
}

/** What stands inside a line decides nothing about sections, and costs most of the parser's time. */
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

/** The headings of Markdown as CommonMark has them, by the whole parser. */
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

/** What a heading says, from its source with its marks. */
export function headingText(source: string): string {
  const marked = atx.exec(source);
  if (marked) return /^#+$/.test(marked[1] ?? "") ? "" : (marked[1] ?? "").trim();
  return source
    .replace(underline, "")
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(" ");
}

/** A heading may be indented by up to three blanks, which belong to it. */
function lineStart(source: string, offset: number): number {
  let start = offset;
  while (start > 0 && source[start - 1] !== "\n" && source[start - 1] !== "\r") start -= 1;
  return start;
}
