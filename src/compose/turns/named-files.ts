import { statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { comparablePath } from "#governance";
import type { WritConfig } from "../config/writ-config.ts";

/** What is run as a program even before it is there. */
const programName = /\.(c?js|mjs|m?ts|py|rb|sh|pl|jar|exe)$/i;

/**
 * The files of the workspace that `writ.yaml` names: scripts and cassettes that speak for a model, programs of MCP servers
 * and of secrets, secrets themselves, context that every agent reads. A turn that could write one would write law.
 */
export function namedFiles(config: WritConfig, root: string): (path: string) => string | undefined {
  const named = new Map<string, string>();
  const add = (file: string | null | undefined, by: string, from = root) => {
    if (file == null || file.includes("${")) return;
    const inside = relative(root, isAbsolute(file) ? file : join(from, file));
    if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) named.set(comparablePath(inside), by);
  };
  const addProgram = (words: readonly string[], by: string, from: string) => {
    for (const word of words) if (isProgram(word, from)) add(word, by, from);
  };
  for (const [name, profile] of [["", config] as const, ...Object.entries(config.profiles)]) {
    const section = name === "" ? "" : `profiles.${name}.`;
    for (const key of ["script", "record", "replay"] as const) add(profile[key], `${section}${key}`);
  }
  for (const [name, { file, command = [] }] of Object.entries(config.secrets)) {
    add(file, `secrets.${name}.file`);
    addProgram(command, `secrets.${name}.command`, root);
  }
  for (const [name, { command, args = [], cwd = "." }] of Object.entries(config.mcp.servers)) {
    const from = isAbsolute(cwd) ? cwd : join(root, cwd);
    addProgram([...(command === undefined ? [] : [command]), ...args], `mcp.servers.${name}`, from);
  }
  for (const file of config.context_files) add(file, "context_files");
  return (path) => {
    const by = named.get(comparablePath(path));
    return by === undefined ? undefined : `writ.yaml names it (${by})`;
  };
}

function isProgram(word: string, from: string): boolean {
  if (programName.test(word)) return true;
  if (!word.includes("/")) return false; // a program of the machine, or a plain word
  const found = statSync(isAbsolute(word) ? word : join(from, word), { throwIfNoEntry: false });
  return found?.isFile() ?? false;
}
