import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOfError } from "#core/errors";

/** Files that a program changed in its view of the workspace, by path, with what tells one change from the next. */
export type UnkeptWrites = ReadonlyMap<string, string>;

/** What programs leave beside their work, which no caller asks for. */
const byTheWay = /(?:^|\/)(?:__pycache__|\.cache)(?:\/|$)|[.-](?:wal|shm|journal|log|lock|pid)$/;
/** More than this is not looked for: one is enough to say so. */
const mostFiles = 1000;

/**
 * What lies in the layer of a program that may write nothing in the workspace: for the program it is written, and it
 * is kept nowhere. Costs a look at one empty folder as long as there is nothing.
 */
export function unkeptWrites(upper: string, root: string): UnkeptWrites {
  const found = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.size < mostFiles; folder = folders.pop())
    for (const name of namesIn(join(upper, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const stat = lstatSync(join(upper, path), { bigint: true, throwIfNoEntry: false });
      if (stat === undefined || byTheWay.test(path)) continue;
      if (stat.isDirectory()) folders.push(path);
      else if (!isCopy(join(upper, path), join(root, path), Number(stat.size)))
        found.set(path, [stat.ino, stat.size, stat.mtimeNs].join(":"));
    }
  return found;
}

/** The program is at work meanwhile: what it removes is not there any more. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (["ENOENT", "EACCES", "ESRCH"].includes(codeOfError(thrown) ?? "")) return [];
    throw thrown;
  }
}

/** An overlay copies a file up when it is opened for writing, whether or not something is written. */
function isCopy(copy: string, original: string, size: number): boolean {
  const before = lstatSync(original, { throwIfNoEntry: false });
  if (!before?.isFile() || before.size !== size || !lstatSync(copy, { throwIfNoEntry: false })?.isFile()) return false;
  return readFileSync(copy).equals(readFileSync(original));
}
