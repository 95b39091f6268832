import { relative, resolve } from "node:path";
import { patternOf } from "./path-pattern.ts";

/** These say how code is read and what its names mean. */
const manifest = /(?:^|\/)(?:package|deno|[jt]sconfig[^/]*)\.json$/;

/**
 * Which paths of a program's own folders are its data: its rights let it write them by a pattern that spells the folder. A pattern
 * over everything says nothing about them.
 */
export function dataOf(root: string, write: readonly string[] = []): (path: string) => boolean {
  const patterns = write.flatMap((each) => {
    const path = resolve(root, each);
    if (!path.startsWith(`${root}/`)) return [];
    const inside = relative(root, path);
    if (/^[^/]*[*?]/.test(inside)) return [];
    return [patternOf(inside), patternOf(`${inside}/**`)];
  });
  return (path) => !manifest.test(path) && patterns.some((pattern) => pattern.test(path));
}
