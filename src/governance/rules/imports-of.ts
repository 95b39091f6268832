import { posix } from "node:path";

/**
 * The files of the workspace that a rule file takes in by `@path`, from the folder that it lies in. What stands in code is text. A path
 * that leads out of the workspace is left out: a file that others commit could name any file of this machine.
 */
export function importsOf(path: string, text: string, isHome = false): readonly string[] {
  const words = withoutCode(text);
  const found = [...words.matchAll(/(?:^|[\s(])@((?:\\ |[^\s\\()])+)/g)].map(([, target = ""]) =>
    target.replaceAll("\\ ", " ").replace(/[.,;:!?]+$/, ""),
  );
  return [...new Set(found.flatMap((target) => placeOf(path, isHome ? inHome(path, target) : target)))];
}

/** Of a file in a person's home folder, from where it lies: there `~/notes.md` is a neighbour. */
function inHome(path: string, target: string): string {
  return target.startsWith("~/") ? posix.relative(posix.dirname(path), target.slice(2)) : target;
}

function placeOf(path: string, target: string): readonly string[] {
  if (target === "" || target.startsWith("/") || target.startsWith("~")) return [];
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  return place === ".." || place.startsWith("../") || place === "." ? [] : [place];
}

function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
    else if (fence === undefined) kept.push(line);
  }
  return kept.join("\n").replaceAll(/(`+)(?:(?!\1)[^])*?\1/g, " ");
}
