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

export interface HeadingScan {
  readonly headings: readonly Heading[];
  /** False when the text ends inside a code fence, a comment or an HTML block: whatever followed would be part of it. */
  readonly isClosed: boolean;
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
const probe = "\n\n# probe";

/** Finds the headings of Markdown (CommonMark) by the offsets of their source. `source` holds no front matter. */
export function scanHeadings(source: string): HeadingScan {
  const probed = source + probe;
  const tree = fromMarkdown(probed, options);
  const headings: Heading[] = [];
  for (const node of tree.children) {
    if (node.type !== "heading") continue;
    const from = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? 0;
    headings.push({
      level: node.depth,
      text: headingText(probed.slice(from, end)),
      start: lineStart(probed, from),
      end,
    });
  }
  const isClosed = (headings.at(-1)?.start ?? -1) >= source.length;
  return { headings: isClosed ? headings.slice(0, -1) : headings, isClosed };
}

const atx = /^#{1,6}(?:[ \t]+|$)([\s\S]*?)(?:[ \t]+#+)?[ \t]*$/;
const underline = /[\r\n]+[ \t]*(?:=+|-+)[ \t]*$/;

function headingText(source: string): string {
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
