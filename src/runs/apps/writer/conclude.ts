import type { EditorialV1 } from "#core/contracts";
import type { Manuscript } from "../document/manuscript.ts";
import type { Citation } from "./citations.ts";

export const summaryHeading = "Summary";
export const questionsHeading = "Open questions";
export const sourcesHeading = "Sources";
/** Sections that the writer generates itself; they are not researched. */
export const ownHeadings: readonly string[] = [summaryHeading, questionsHeading, sourcesHeading];

export interface ClosingSections {
  readonly editorial: EditorialV1;
  readonly citations: readonly Citation[];
  /** Headings of sections that a person changed since the last turn: they stay unchanged. */
  readonly touched: ReadonlySet<string>;
}

/** Adds the closing sections: summary, open questions and sources. */
export function conclude(manuscript: Manuscript, { editorial, citations, touched }: ClosingSections): void {
  const write = (heading: string, body: string, place: { readonly after?: null } = {}): void => {
    if (!touched.has(heading)) manuscript.writeSection(heading, body, place);
  };
  if (editorial.summary.trim() !== "") write(summaryHeading, editorial.summary, { after: null });
  const open = editorial.open_questions.map((question) => `- ${question.replaceAll(/\s*[\r\n]+\s*/g, " ")}`);
  write(questionsHeading, open.length > 0 ? open.join("\n") : "None that the sources raise.");
  if (citations.length > 0) write(sourcesHeading, sourcesTable(citations));
  manuscript.write({ op: "front_matter.set", key: "status", value: editorial.satisfied ? "complete" : "incomplete" });
}

function sourcesTable(citations: readonly Citation[]): string {
  const bySource = new Map<string, Citation[]>();
  for (const citation of citations) bySource.set(citation.source, [...(bySource.get(citation.source) ?? []), citation]);
  const rows = [...bySource].map(([source, cited]) => {
    const lines = [...new Set(cited.flatMap(({ lines: at }) => (at ? [`${at[0]}–${at[1]}`] : [])))].join(", ");
    const used = [...new Set(cited.map((citation) => citation.heading))].join(", ");
    return `| ${[`\`${source}\``, cited[0]?.kind ?? "", lines, used].map(cell).join(" | ")} |`;
  });
  return ["| Source | Kind | Lines | Used in |", "|---|---|---|---|", ...rows].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/[\r\n]+/g, " ");
}
