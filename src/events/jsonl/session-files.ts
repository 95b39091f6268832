import type { Failpoint } from "#base";
import type { Entry } from "../session-state.ts";
import { type Disk, foldersBetween, writeAll } from "./disk.ts";
import type { JsonlSession } from "./jsonl-session.ts";

/**
 * Writes the durable events of a session, and what the ledgers make of them, behind the journal. Plain calls that wait for
 * no disk: three small files cost about 60 µs this way and 300 µs through the thread pool. Positions are absolute, so
 * a write that failed halfway is simply written over.
 */
export function writeSessionFiles(session: JsonlSession, disk: Disk, failpoint: Failpoint): void {
  const { state, paths } = session;
  const count = state.durableCount;
  if (count === 0) return;
  failpoint("flush.before");
  state.durableMarks(); // derives what is to be written
  if (!session.hasFolder) {
    session.newFolder = disk.makeFolder(paths.ledgerFolder);
    session.hasFolder = true;
  }
  const entries = state.entries.slice(0, count);
  const { written } = state;
  append(disk, paths.events, linesOf(entries), written.events.bytes);
  session.unsynced.add("events");
  failpoint("flush.between-files");
  for (const ledger of ["exec", "evidence"] as const) {
    const text = ledgerText(entries, ledger);
    if (text === "") continue;
    append(disk, paths[ledger], Buffer.from(text), written[ledger].bytes);
    session.unsynced.add(ledger);
  }
  state.drop(count);
  failpoint("flush.after");
}

function append(disk: Disk, path: string, bytes: Buffer, position: number): void {
  const fd = disk.open(path, "update");
  try {
    writeAll(disk, fd, bytes, position);
  } finally {
    disk.close(fd);
  }
}

function linesOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { buffer, start, end } of entries) if (buffer) parts.push(buffer.subarray(start, end));
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

export function ledgerText(entries: readonly Entry[], ledger: "exec" | "evidence"): string {
  let text = "";
  for (const { ledger: derived } of entries) {
    const line = derived?.lines[ledger];
    if (line) text += `${line.text}\n`;
  }
  return text;
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
