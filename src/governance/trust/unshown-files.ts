import { agentWrites, closureOf, type ProgramRights, type ProgramSpec } from "#core/machine";
import { ok, type Result } from "#core/values";
import { compileGlob, type Glob } from "../paths/glob.ts";
import type { ActSources } from "./act-sources.ts";
import { programsOf } from "./agent-files.ts";

/** What an agent wrote, and a program is not shown although it may read there. */
export interface UnshownFile {
  readonly path: string;
  /** A pattern that shows it, under `live`. */
  readonly pattern: string;
}

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
  if (tier === "T1" || read.length + live.length + write.length === 0) return [];
  const [seen, shown] = [globsOf(read), globsOf([...live, ...write])];
  return written
    .filter((path) => matchesAny(seen, path) && !matchesAny(shown, path))
    .map((path) => ({ path, pattern: patternThatShows(path, read) }));
}

/** No wider than what the rights name; of a right over everything, the top folder. */
export function patternThatShows(path: string, rights: readonly string[]): string {
  const named = rights.find((each) => !/^[*?[{!]/.test(each) && matchesAny(globsOf([each]), path));
  const [top = "", ...more] = path.split("/");
  return named ?? (more.length === 0 ? path : `${top}/**`);
}

export function whyUnshown(where: string, { live = [] }: ProgramRights, files: readonly UnshownFile[]): string {
  const patterns = [...new Set([...live, ...files.map(({ pattern }) => pattern)])];
  const [shown, more] = [files.slice(0, 3).map(({ path }) => path), files.length - 3];
  const listed = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${where} does not see ${listed}, which an agent wrote: what a program finds it may run. If that is data to it, \`live: ${JSON.stringify(patterns)}\` under ${rightsOf(where)} in writ.yaml shows it`;
}

/** Where the rights of a program stand: one that another file declares has them in writ.yaml all the same. */
function rightsOf(where: string): string {
  const server = /^\.mcp\.json, (.+)$/.exec(where)?.[1];
  if (server !== undefined) return `mcp.servers.${server}.rights`;
  return /^(?:hooks|secrets|mcp|modules)[.[]/.test(where) ? `${where}.rights` : "hooks.rights";
}

/** A folder stands for all that lies in it, with a slash at its end or without. */
function globsOf(patterns: readonly string[]): readonly Glob[] {
  return patterns
    .flatMap((source) => [source, `${source}/**`])
    .flatMap((source) => {
      const glob = compileGlob(source);
      return glob.ok ? [glob.value] : [];
    });
}

function matchesAny(patterns: readonly Glob[], path: string): boolean {
  return patterns.some((pattern) => pattern.matches(path.normalize("NFC")));
}
