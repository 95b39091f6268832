import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOfError } from "../errors/code-of-error.ts";

/**
 * Creates a folder and its missing parents, and returns whether it created any. Node's own recursive `mkdir` never
 * returns where the file system refuses a folder (below /proc, say), and only SIGKILL ends it.
 */
export async function makeFolders(folder: string, mode = 0o777): Promise<boolean> {
  try {
    return await makeFolder(folder, mode);
  } catch (thrown) {
    const parent = dirname(folder);
    if (codeOfError(thrown) !== "ENOENT" || parent === folder) throw thrown;
    // A parent that is there by now was made by another process meanwhile, or its file system takes no folder and says so again.
    const madeParent = !(await isThere(parent)) && (await makeFolders(parent, mode));
    return (await makeFolder(folder, mode)) || madeParent;
  }
}

/** Whether it made the folder; false where there is one. */
async function makeFolder(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === "EEXIST" && (await stat(folder)).isDirectory()) return false;
    throw thrown;
  }
}

async function isThere(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return false;
    throw thrown;
  }
}
