import type { ResearchNoteV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { findQuote } from "./find-quote.ts";
import { foldLines } from "./fold-text.ts";
import { nearestWords } from "./nearest-words.ts";
import { resolveSource } from "./resolve-source.ts";
import type { ShownSources, ShownText } from "./shown-sources.ts";

type Citation = ResearchNoteV1["citations"][number];

/** A note whose citations all hold, and what of them was put right, in words. */
export interface HeldNote {
  readonly note: ResearchNoteV1;
  readonly mended: readonly string[];
}

const mostListed = 8;
const mostNames = 5;

/**
 * A note may cite only what its session was shown: each citation names a source and words that stand in it, and each finding
 * rests on a citation. The place, the hash and the spelling of words that are there are put right; words that are not there are
 * refused, with the nearest ones, so that the model can mend its note.
 */
export function holdCitations(note: ResearchNoteV1, shown: ShownSources): Result<HeldNote> {
  const problems: string[] = [];
  const mended: string[] = [];
  const known = new Set<string>();
  const citations = note.citations.map((citation) => {
    if (known.has(citation.id)) problems.push(`there are two citations ${citation.id}`);
    known.add(citation.id);
    const held = holdCitation(citation, shown);
    if (!held.ok) {
      problems.push(`citation ${citation.id} ${held.error.message}`);
      return citation;
    }
    mended.push(...held.value.mended.map((what) => `citation ${citation.id}: ${what}`));
    return held.value.citation;
  });
  for (const [index, finding] of note.findings.entries()) {
    if (finding.citations.length === 0) problems.push(`finding ${index + 1} rests on nothing`);
    for (const id of finding.citations)
      if (!known.has(id)) problems.push(`finding ${index + 1} rests on citation ${id}, which is not there`);
  }
  return problems.length === 0 ? ok({ note: { ...note, citations }, mended }) : refused(problems);
}

interface HeldCitation {
  readonly citation: Citation;
  readonly mended: readonly string[];
}

function holdCitation(citation: Citation, shown: ShownSources): Result<HeldCitation> {
  const source = resolveSource(citation.source, shown.names);
  if (source === undefined) return wrong(`names ${citation.source}, which was not read${readInstead(shown.names)}`);
  const texts = shown.textsOf(source);
  const quote = citation.quote?.trim() ?? "";
  if (quote === "") return wrong(`quotes nothing: "quote" is the words of ${source} that it rests on, copied exactly`);
  const [near, to = near] = citation.lines ?? [];
  if (near !== undefined && to !== undefined && to < near)
    return wrong(`ends on line ${to}, before it begins on line ${near}`);
  // What the citation names comes first: two versions may hold the same words.
  const sorted = texts.toSorted((one, other) => rank(other, citation) - rank(one, citation));
  for (const text of sorted) {
    const found = findQuote(quote, foldLines(text.lines), near);
    if (found) return ok(putRight(citation, { source, text, found }));
  }
  return wrong(notThere(quote, source, sorted));
}

function rank({ sha256 }: ShownText, citation: Citation): number {
  return sha256 !== undefined && sha256 === citation.sha256 ? 1 : 0;
}

interface Found {
  readonly source: string;
  readonly text: ShownText;
  readonly found: NonNullable<ReturnType<typeof findQuote>>;
}

function putRight(citation: Citation, { source, text, found }: Found): HeldCitation {
  const { lines: said, sha256: hash, ...rest } = citation;
  const isFile = text.kind !== "mcp";
  const lines: [number, number] = [...found.lines];
  const mended: string[] = [];
  if (source !== citation.source) mended.push(`${citation.source} is ${source}`);
  if (text.kind !== citation.kind) mended.push(`${source} is of kind ${text.kind}`);
  if (isFile && said && !covers(said, lines)) mended.push(`the words stand on ${inWords(lines)}, not ${inWords(said)}`);
  if (isFile && hash !== undefined && text.sha256 !== hash) mended.push("the hash is that of what was read");
  if (found.words !== undefined) mended.push(`the words are "${found.words}"`);
  return {
    citation: {
      ...rest,
      kind: text.kind,
      source,
      ...(isFile ? { lines: said && covers(said, lines) ? said : lines } : {}),
      ...(isFile && text.sha256 !== undefined ? { sha256: text.sha256 } : {}),
      ...(found.words === undefined ? {} : { quote: found.words }),
    },
    mended,
  };
}

/** The lines that a citation names may be more than its quote, but not a whole book. */
const mostAround = 60;

function covers([from = 1, to = from]: readonly number[], [first, last]: readonly [number, number]): boolean {
  return from <= first && last <= to && to - from <= mostAround;
}

function inWords([from = 1, to = from]: readonly number[]): string {
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}

function notThere(quote: string, source: string, texts: readonly ShownText[]): string {
  const near = texts
    .flatMap((text) => nearestWords(quote, foldLines(text.lines)) ?? [])
    .toSorted((one, other) => other.share - one.share)[0];
  const shownQuote = quote.length > 120 ? `${quote.slice(0, 120).toWellFormed()}…` : quote;
  const nearest = near === undefined ? "" : `; the nearest there, on line ${near.line}: "${near.words}"`;
  return `quotes "${shownQuote}", which does not stand in what was read of ${source}${nearest}`;
}

function readInstead(names: readonly string[]): string {
  if (names.length === 0) return "; nothing was read";
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : "";
  return `; read were ${names.slice(0, mostNames).join(", ")}${more}`;
}

function wrong(message: string) {
  return err(domainError("ACCEPTANCE_FAILED", message));
}

function refused(problems: readonly string[]) {
  const listed = problems.slice(0, mostListed).join("; ");
  const more = problems.length > mostListed ? `; and ${problems.length - mostListed} more` : "";
  return err(
    domainError("ACCEPTANCE_FAILED", `the note is refused: ${listed}${more}`, {
      details: { rule: "every finding cites words that the session read", problems: problems.slice(0, mostListed) },
    }),
  );
}
