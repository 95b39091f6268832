import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOfError } from "#core/errors";

/**
 * Writes the `snapshot.json` of a folder whole or not at all, by rename. Not synced: a snapshot that is missing or does not match is thrown
 * away, and the events give it again; for the same reason a full disk here is no failure of closing.
 */
export function writeSnapshot(folder: string, text: string): void {
  const half = join(folder, ".snapshot.half");
  try {
    writeInto(half, text);
    renameSync(half, join(folder, "snapshot.json"));
  } catch (thrown) {
    if (codeOfError(thrown) === undefined) throw thrown;
    rmSync(half, { force: true });
  }
}

/** Most often the session's files are there already, and with them the folder. */
function writeInto(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    if (codeOfError(thrown) !== "ENOENT") throw thrown;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
