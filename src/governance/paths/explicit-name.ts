import { codeThatRuns, type RunningCode } from "./protected-paths.ts";

/**
 * Whether a pattern of ordinary files names a file of the class `code-that-runs`: it is the file's own path, or it spells the
 * name of a top folder that is the user's own. `**` and `*.json` name neither.
 */
export function namesExplicitly(pattern: string, path: string, { folder }: RunningCode): boolean {
  const text = pattern.normalize("NFC").replace(/^(\.\/)+/, "");
  if (text === path.normalize("NFC")) return true;
  return folder !== undefined && (text.startsWith(`${folder}/`) || text === folder);
}

/** The class of what a pattern of ordinary files names explicitly; undefined where it names ordinary files only. */
export function codeNamedBy(pattern: string): RunningCode | undefined {
  const code = /[*?[\]{}()!]/.test(pattern) ? codeThatRuns(pattern.split("/")[0] ?? "") : codeThatRuns(pattern);
  return code?.folder === undefined && /[*?[\]{}()!]/.test(pattern) ? undefined : code;
}
