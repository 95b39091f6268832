import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are missing, and answers whether it made any. Node's own recursive `mkdir` never
 * returns where the file system says that a folder cannot be (below /proc, say), and nothing short of SIGKILL ends it.
 */
export async function makeFolders(folder: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
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
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}
