import { execFile } from "node:child_process";

/** What a module's thread says when it could not load the module. */
export interface Unread {
  readonly unread: string;
  readonly isSyntax: boolean;
}

const longestCheckMs = 5_000;

/** What is wrong with it, with the place where that can be told. */
export async function whyUnread(path: string, { unread, isSyntax }: Unread): Promise<string> {
  if (!isSyntax) return withoutTransformer(path, unread);
  const told = await whyUnparsed(path);
  return told === undefined ? unread : `${told.place}: ${unread}`;
}

/**
 * Where and why a module of JavaScript cannot be parsed. An import does not tell the place; `node --check` does, and runs
 * nothing of it. Undefined where the module by itself is sound.
 */
export function whyUnparsed(path: string): Promise<{ readonly place: string; readonly what: string } | undefined> {
  return new Promise((resolve) => {
    const options = { env: {}, timeout: longestCheckMs, killSignal: "SIGKILL" as const };
    execFile(process.execPath, ["--check", path], options, (_failure, _stdout, told) => {
      // The line's number, the line itself, and arrows below what is wrong in it; none where the file ends too early.
      const [, line, before] = /^.*:(\d+)\n.*\n(?:([^\S\n]*)\^)?/.exec(told) ?? [];
      const what = /^SyntaxError: (.*)$/m.exec(told)?.[1];
      const isTold = line !== undefined && what !== undefined;
      resolve(isTold ? { place: placeOf(line, before?.length), what } : undefined);
    });
  });
}

/** TypeScript's transformer tells the place in its own way. */
function withoutTransformer(path: string, unread: string): string {
  const [, file, line, before, what] = /^Transform failed.*\n(.*):(\d+):(\d+): ERROR: (.*)/.exec(unread) ?? [];
  return file === path && line !== undefined ? `${placeOf(line, Number(before))}: ${what}` : unread;
}

function placeOf(line: string, charactersBefore: number | undefined): string {
  return charactersBefore === undefined ? `line ${line}` : `line ${line}, column ${charactersBefore + 1}`;
}
