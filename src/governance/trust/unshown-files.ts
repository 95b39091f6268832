import { agentWrites, closureOf, type ProgramSpec } from "#core/machine";
import { ok, type Result } from "#core/values";
import { matchesRight, patternThatShows, rightPatterns, type UnshownFile, whyUnshown } from "../paths/unshown.ts";
import type { ActSources } from "./act-sources.ts";
import { programsOf } from "./agent-files.ts";

/** For each program of the workspace that does not see something: what, and the line of writ.yaml that shows it. */
export async function unshownFiles(sources: ActSources): Promise<Result<readonly string[]>> {
  const { root } = sources;
  const written = [...agentWrites(root)];
  if (written.length === 0) return ok([]);
  const programs = await programsOf(sources);
  if (!programs.ok) return programs;
  const found: string[] = [];
  for (const program of programs.value) {
    const unshown = unshownBy(program, written);
    if (unshown.length === 0) continue;
    const closure = closureOf({ ...program, root });
    if (!closure.ok) return closure;
    const kept = new Set(closure.value.files.map(({ path }) => path));
    const files = unshown.filter(({ path }) => !kept.has(path));
    if (files.length > 0) found.push(whyUnshown(program.where, program.rights, files));
  }
  return ok(found);
}

/** By the patterns alone, without a look at the files. A program that was asked to have no sandbox sees everything. */
function unshownBy({ rights }: ProgramSpec, written: readonly string[]): readonly UnshownFile[] {
  const { read = [], live = [], write = [], tier } = rights;
  if (tier === "T1" || read.length === 0) return [];
  const [seen, shown] = [rightPatterns(read), rightPatterns([...live, ...write])];
  return written
    .filter((path) => matchesRight(seen, path) && !matchesRight(shown, path))
    .map((path) => ({ path, pattern: patternThatShows(path, read) }));
}
