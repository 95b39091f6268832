import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOfError } from "#core/errors";
import type { Snapshot } from "#log";
import { snapshotText } from "#log";

/**
 * Whole or not at all, by rename. Not synced: a snapshot that is missing or does not match is thrown away, and the
 * events give it again; for the same reason a full disk here is no failure of closing. Plain calls that wait for no disk:
 * through the thread pool the same five cost three times as much.
 */
export function writeSnapshot(folder: string, snapshot: Snapshot): void {
  const half = join(folder, ".snapshot.half");
  try {
    writeInto(folder, half, snapshotText(snapshot));
    renameSync(half, join(folder, "snapshot.json"));
  } catch (thrown) {
    if (codeOfError(thrown) === undefined) throw thrown;
    rmSync(half, { force: true });
  }
}

/** Most often the session's files are there already, and with them the folder. */
function writeInto(folder: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    if (codeOfError(thrown) !== "ENOENT") throw thrown;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
}
