import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOfError } from "../errors/code-of-error.ts";

/**
 * Creates a folder and its missing parents, and returns whether it created any. Node's own recursive `mkdir` never
 * returns where the file system refuses a folder (below /proc, say), and only SIGKILL ends it.
 */
export async function makeFolders(folder: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (thrown) {
    const code = codeOfError(thrown);
    if (code === "EEXIST" && (await stat(folder)).isDirectory()) return false;
    const parent = dirname(folder);
    if (code !== "ENOENT" || parent === folder || (await isThere(parent))) throw thrown;
    await makeFolders(parent, mode);
    await makeFolders(folder, mode);
    return true;
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
