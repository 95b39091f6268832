import { posix } from "node:path";

/** The absolute path that `path` means in the workspace; undefined when it leads out of it. */
export function inside(root: string, path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  const absolute = posix.normalize(path.startsWith("/") ? path : `${root}/${path}`);
  return absolute.startsWith(`${root}/`) ? absolute : undefined;
}
