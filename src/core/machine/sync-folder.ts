import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Names that were made, moved or removed in the folder are on disk, too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The same on this thread, where steps must follow each other without a gap. */
export function syncFolderNow(path: string): void {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
