import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * A folder and those above it that are missing, one after the other: where a system answers ENOENT although the parent
 * is there (`/proc`), Node 20's own recursive mkdir tries for ever, and nothing can interrupt it.
 */
export async function makeFolders(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; !(await isThere(at)) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing)
    try {
      await mkdir(each);
    } catch (thrown) {
      if (!(await isThere(each))) throw thrown; // else somebody else was faster
    }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
