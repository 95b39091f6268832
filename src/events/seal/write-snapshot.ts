import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Snapshot } from "../fold/draft.ts";
import { snapshotText } from "../fold/replay.ts";

/**
 * Whole or not at all, by rename. Not synced: a snapshot that is missing or does not match is thrown away, and the
 * events give it again; for the same reason a full disk here is no failure of closing.
 */
export async function writeSnapshot(folder: string, snapshot: Snapshot): Promise<void> {
  const file = join(folder, "snapshot.json");
  const half = join(folder, ".snapshot.half");
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(half, snapshotText(snapshot));
    await rename(half, file);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
    await rm(half, { force: true });
  }
}
