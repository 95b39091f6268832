import type { ProgramRights } from "#core/machine";
import { compileGlob, type Glob } from "./glob.ts";

/** What an agent wrote, and a program is not shown although it may read there. */
export interface UnshownFile {
  readonly path: string;
  /** A pattern that shows it, under `live`. */
  readonly pattern: string;
}

/** No wider than what the rights name; of a right over everything, the top folder. */
export function patternThatShows(path: string, rights: readonly string[]): string {
  const named = rights.find((each) => !/^[*?[{!]/.test(each) && matchesRight(rightPatterns([each]), path));
  const [top = "", ...more] = path.split("/");
  return named ?? (more.length === 0 ? path : `${top}/**`);
}

/** What a program does not see, and the line of writ.yaml that shows it. */
export function whyUnshown(where: string, { live = [] }: ProgramRights, files: readonly UnshownFile[]): string {
  const patterns = [...new Set([...live, ...files.map(({ pattern }) => pattern)])];
  const [shown, more] = [files.slice(0, 3).map(({ path }) => path), files.length - 3];
  const listed = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  // Elsewhere on the machine it is not known who wrote what.
  const why = shown[0]?.startsWith("/") ? "where another program may write for an agent" : "which an agent wrote";
  return `${where} does not see ${listed}, ${why}: what a program finds it may run. If that is data to it, \`live: ${JSON.stringify(patterns)}\` under ${rightsOf(where)} in writ.yaml shows it`;
}

/** Where the rights of a program stand: one that another file declares has them in writ.yaml all the same. */
function rightsOf(where: string): string {
  const server = /^\.mcp\.json, (.+)$/.exec(where)?.[1];
  if (server !== undefined) return `mcp.servers.${server}.rights`;
  return /^(?:hooks|secrets|mcp|modules)[.[]/.test(where) ? `${where}.rights` : "hooks.rights";
}

/** A folder stands for all that lies in it, with a slash at its end or without. */
export function rightPatterns(rights: readonly string[]): readonly Glob[] {
  return rights
    .flatMap((source) => [source, `${source}/**`])
    .flatMap((source) => {
      const glob = compileGlob(source);
      return glob.ok ? [glob.value] : [];
    });
}

export function matchesRight(patterns: readonly Glob[], path: string): boolean {
  return patterns.some((pattern) => pattern.matches(path.normalize("NFC")));
}
