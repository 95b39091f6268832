import type { ResearchNoteV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ReadSources } from "./read-sources.ts";

export type Citation = ResearchNoteV1["citations"][number];

/**
 * A note may cite only what its session read. A citation of another source, a hash under which the session read nothing, and a
 * finding without a citation are refused, so that a reader can follow every one of them.
 */
export function checkCitations(note: ResearchNoteV1, read: ReadSources): Result<void> {
  const known = new Set<string>();
  for (const citation of note.citations) {
    const problem = problemOf(citation, read);
    if (problem !== undefined) return refused(`citation ${citation.id} ${problem}`);
    if (known.has(citation.id)) return refused(`there are two citations ${citation.id}`);
    known.add(citation.id);
  }
  for (const [index, finding] of note.findings.entries()) {
    if (finding.citations.length === 0) return refused(`finding ${index + 1} rests on nothing`);
    const missing = finding.citations.find((id) => !known.has(id));
    if (missing !== undefined) return refused(`finding ${index + 1} rests on citation ${missing}, which is not there`);
  }
  return ok(undefined);
}

function problemOf({ kind, source, sha256, lines }: Citation, read: ReadSources): string | undefined {
  if (kind === "mcp") return read.tools.has(source) ? undefined : `names ${source}, which was not called`;
  const hashes = read.files.get(source);
  if (!hashes) return `names ${source}, which was not read`;
  if (sha256 !== undefined && !hashes.has(sha256)) return `names another content of ${source} than was read`;
  const [from = 1, to = from] = lines ?? [];
  return to < from ? `ends on line ${to}, before it begins` : undefined;
}

function refused(what: string) {
  return err(
    domainError("ACCEPTANCE_FAILED", `the note is refused: ${what}`, {
      details: { rule: "every finding cites something that the session read" },
    }),
  );
}
