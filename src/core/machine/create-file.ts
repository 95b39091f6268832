import { randomBytes } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOfError } from "../errors/code-of-error.ts";

/**
 * Writes a file that must not exist yet, whole or not at all, also when the power fails halfway: the text is on disk
 * before the name is. Returns false, and changes nothing, when the name is taken.
 */
export async function createFile(path: string, content: string, mode = 0o644): Promise<boolean> {
  const staged = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(staged, "wx", mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(staged, path); // unlike rename, a link never replaces
    return true;
  } catch (thrown) {
    if (codeOfError(thrown) === "EEXIST") return false;
    throw thrown;
  } finally {
    await rm(staged, { force: true });
  }
}
