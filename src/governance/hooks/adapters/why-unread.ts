import { execFile } from "node:child_process";

/** What a module's thread says when it could not load the module. */
export interface Unread {
  readonly unread: string;
  readonly isSyntax: boolean;
}

const longestCheckMs = 5_000;

/** Why the module could not be loaded, with line and column where they are known. */
export async function whyUnread(path: string, { unread, isSyntax }: Unread): Promise<string> {
  if (!isSyntax) return withoutTransformer(path, unread);
  const found = await whyUnparsed(path);
  return found === undefined ? unread : `${found.place}: ${unread}`;
}

/**
 * Where and why a JavaScript module cannot be parsed. The error of an import lacks the position; `node --check` prints it, and
 * runs nothing of the module. Undefined where the module itself parses.
 */
export function whyUnparsed(path: string): Promise<{ readonly place: string; readonly what: string } | undefined> {
  return new Promise((resolve) => {
    const options = { env: {}, timeout: longestCheckMs, killSignal: "SIGKILL" as const };
    execFile(process.execPath, ["--check", path], options, (_failure, _stdout, stderr) => {
      // The line's number, the line itself, and arrows below the error; no arrows where the file ends too early.
      const [, line, before] = /^.*:(\d+)\n.*\n(?:([^\S\n]*)\^)?/.exec(stderr) ?? [];
      const what = /^SyntaxError: (.*)$/m.exec(stderr)?.[1];
      const isFound = line !== undefined && what !== undefined;
      resolve(isFound ? { place: placeOf(line, before?.length), what } : undefined);
    });
  });
}

/** TypeScript's transformer prints the position in its own format. */
function withoutTransformer(path: string, unread: string): string {
  const [, file, line, before, what] = /^Transform failed.*\n(.*):(\d+):(\d+): ERROR: (.*)/.exec(unread) ?? [];
  return file === path && line !== undefined ? `${placeOf(line, Number(before))}: ${what}` : unread;
}

function placeOf(line: string, charactersBefore: number | undefined): string {
  return charactersBefore === undefined ? `line ${line}` : `line ${line}, column ${charactersBefore + 1}`;
}
