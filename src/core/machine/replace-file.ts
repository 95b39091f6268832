import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file whole or not at all, also when another process writes it at once or the power fails halfway: under a
 * temporary name, synced, then renamed over the old file.
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
