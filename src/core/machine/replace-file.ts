import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file whole or not at all, also when another process writes it at once or the power fails halfway: aside under a
 * name of its own, on disk, and then in place of what was there.
 */
export async function replaceFile(path: string, content: string, mode = 0o644): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}
