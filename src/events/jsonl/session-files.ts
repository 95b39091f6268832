import type { Failpoint } from "#base";
import { type Disk, foldersBetween, writeAll } from "./disk.ts";
import type { JsonlSession } from "./jsonl-session.ts";

/**
 * Writes the durable events of a session, and what the ledgers make of them, behind the journal. Plain calls that wait for
 * no disk: three small files cost about 60 µs this way and 300 µs through the thread pool. Positions are absolute, so
 * a write that failed halfway is simply written over.
 */
export function writeSessionFiles(session: JsonlSession, disk: Disk, failpoint: Failpoint): void {
  const { state, paths } = session;
  if (session.unfiled.events.isEmpty) return;
  failpoint("flush.before");
  if (!session.hasFolder) {
    session.newFolder = disk.makeFolder(paths.ledgerFolder);
    session.hasFolder = true;
  }
  for (const file of ["events", "exec", "evidence"] as const) {
    const unfiled = session.unfiled[file];
    if (unfiled.isEmpty) continue;
    append(disk, paths[file], unfiled.pieces, state.written[file].bytes);
    session.unsynced.add(file);
    if (file === "events") failpoint("flush.between-files");
  }
  state.markWritten();
  for (const unfiled of Object.values(session.unfiled)) unfiled.clear();
  failpoint("flush.after");
}

function append(disk: Disk, path: string, pieces: readonly Buffer[], position: number): void {
  const fd = disk.open(path, "update");
  let at = position;
  try {
    for (const bytes of pieces) {
      writeAll(disk, fd, bytes, at);
      at += bytes.length;
    }
  } finally {
    disk.close(fd);
  }
}

/**
 * Makes the written files durable and answers the folders whose names are still to be synced. Those are gathered over many
 * sessions: they share their parents.
 */
export async function syncSessionFiles(session: JsonlSession, disk: Disk): Promise<readonly string[]> {
  const files = [...session.unsynced];
  const { newFolder, paths } = session;
  session.unsynced.clear();
  session.newFolder = undefined;
  for (const file of files) {
    const fd = disk.open(paths[file], "write");
    try {
      await disk.sync(fd);
    } finally {
      disk.close(fd);
    }
  }
  if (newFolder !== undefined) return foldersBetween(paths.ledgerFolder, newFolder);
  return files.some((file) => file !== "events") ? [paths.ledgerFolder] : []; // a ledger's first entry makes its file
}
