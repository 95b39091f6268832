import { isAbsolute, relative, resolve } from "node:path";
import type { WritConfig } from "#workspace";
import { filesOfHooks } from "./files-of-hooks.ts";
import { type NamedFile, type NamedFiles, nameFiles } from "./named-files.ts";
import { workspacePath } from "./workspace-path.ts";

/**
 * Files inside the workspace that writ.yaml names: model scripts, programs that tools start, texts that every request includes,
 * keys and secrets. A session that could write them would change the rules of the next session.
 */
export function filesOfConfig(config: WritConfig, root: string): NamedFiles {
  const named: NamedFile[] = [];
  const add = (text: string | null | undefined, file: Omit<NamedFile, "path">) => {
    if (text === null || text === undefined) return;
    const path = workspacePath(isAbsolute(text) ? relative(root, text) : text);
    if (path.ok && path.value !== "") named.push({ path: path.value, ...file });
  };
  for (const profile of [config, ...Object.values(config.profiles)]) {
    add(profile.script, { why: "writ.yaml names it: it answers for a model" });
    for (const cassette of [profile.record, profile.replay])
      add(cassette, { why: "writ.yaml names it: it answers for a model" });
  }
  for (const file of filesOfHooks(config.hooks)) add(file, { why: "writ.yaml names it: a hook is run from it" });
  for (const file of config.context_files) add(file, { why: "writ.yaml names it: every request reads it" });
  for (const { command, args = [], cwd = "", rights } of Object.values(config.mcp.servers))
    for (const word of [command, ...args]) {
      if (word === undefined || !/[./]/.test(word)) continue; // a program of the machine, or an option
      const path = isAbsolute(word) || cwd === "" ? word : `${cwd}/${word}`;
      if (isWrittenBy(rights?.write, path, root)) continue;
      add(path, { why: "writ.yaml names it: an MCP server is started with it" });
    }
  const secret = { why: "writ.yaml names it: it holds a secret", secret: true } as const;
  for (const source of Object.values(config.secrets)) if ("file" in source) add(source.file, secret);
  add(config.signing.private_key, secret);
  add(config.signing.public_key, { why: "writ.yaml names it: signatures are checked with it" });
  if (config.store.startsWith("sqlite:")) add(config.store.slice("sqlite:".length), secret);
  return nameFiles(
    named,
    [
      { patterns: config.paths.protected, why: "writ.yaml protects it (paths.protected)" },
      {
        patterns: config.paths.unreadable,
        why: "writ.yaml says that it holds secrets (paths.unreadable)",
        secret: true,
      },
    ],
    config.paths.code_that_runs,
  );
}

/** What a server's own rights name for writing is its data; a pattern that names no place, such as `**`, says nothing of it. */
function isWrittenBy(patterns: readonly string[] = [], path: string, root: string): boolean {
  const full = resolve(root, path);
  return patterns.some((pattern) => {
    const place = pattern.replace(/\/?\**$/, "");
    return place !== "" && (full === resolve(root, place) || full.startsWith(`${resolve(root, place)}/`));
  });
}
