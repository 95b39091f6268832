import type { ResearchNoteV1 } from "#core/contracts";

export type Citation = ResearchNoteV1["citations"][number];

/**
 * Renders a note as the body of a section: its findings in order, each with footnotes, their definitions at the end. Footnote
 * names contain the work item, so that no two sections of a document share one.
 */
export function renderNote(
  note: ResearchNoteV1,
  options: { readonly prefix: string; readonly level: number; readonly heading?: string | undefined },
): string {
  const { prefix, level } = options;
  if (note.findings.length === 0) return `${note.summary}\n`;
  const mark = (id: string): string => `[^${prefix}-${id}]`;
  const several = new Set(note.findings.map(({ heading }) => heading)).size > 1;
  // A heading equal to the section's own or to the previous one is left out.
  let said = options.heading;
  const parts = note.findings.map(({ heading, text, citations }) => {
    const isNews = several && heading !== undefined && heading !== said && level < 6;
    said = heading ?? said;
    const title = isNews ? `${"#".repeat(level + 1)} ${heading}\n\n` : "";
    return `${title}${withMarks(shifted(text.trim(), level + 1), citations.map(mark).join(""))}`;
  });
  const used = new Set(note.findings.flatMap(({ citations }) => citations));
  const notes = note.citations
    .filter(({ id }) => used.has(id))
    .map((citation) => `${mark(citation.id)}: ${placeOf(citation)}`);
  return `${parts.join("\n\n")}\n\n${notes.join("\n")}\n`;
}

/** The place of a citation for people: `docs/guides/turns.md, lines 3-9`. */
export function placeOf({ kind, source, lines, quote }: Citation): string {
  const where = kind === "mcp" ? `the tool \`${source}\`` : `\`${source}\`${lines ? `, ${inWords(lines)}` : ""}`;
  const origin = kind === "handbook" ? "Writ's handbook, " : kind === "registry" ? "the registry " : "";
  return `${origin}${where}${quote === undefined ? "" : `: "${quote.replaceAll(/\s+/g, " ").trim()}"`}`;
}

function inWords(lines: readonly number[]): string {
  const [from = 1, to = from] = lines;
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

/** Appends footnote marks to the last word, but not inside a code block or a table that ends the text. */
function withMarks(text: string, marks: string): string {
  return /(?:```|~~~|\|)\s*$/.test(text) ? `${text}\n\n${marks}` : `${text}${marks}`;
}

const fence = /^ {0,3}(```|~~~)/;
const title = /^( {0,3})(#{1,6})(\s)/;

/** Deepens headings inside a quotation below its section; code stays unchanged. */
function shifted(text: string, below: number): string {
  let fenced: string | undefined;
  const lines = text.split("\n");
  const top = Math.min(7, ...lines.map((line) => title.exec(line)?.[2]?.length ?? 7));
  const by = Math.max(0, below + 1 - top);
  return lines
    .map((line) => {
      const mark = fence.exec(line)?.[1];
      if (mark !== undefined && (fenced === undefined || fenced === mark))
        fenced = fenced === undefined ? mark : undefined;
      if (fenced !== undefined) return line;
      return line.replace(title, (_, indent: string, hashes: string, blank: string) => {
        const depth = hashes.length + by;
        return depth > 6 ? "" : `${indent}${"#".repeat(depth)}${blank}`;
      });
    })
    .join("\n");
}
