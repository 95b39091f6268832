import { setImmediate } from "node:timers/promises";
import type { Failpoint } from "#core/values";
import type { SessionMarks } from "../session-state.ts";
import { writeSnapshot } from "../write-snapshot.ts";
import { type Disk, foldersBetween, writeAll } from "./disk.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import { type FlushPlan, type PendingWrites, type SessionFile, sessionFiles } from "./pending-writes.ts";

/** The snapshot of a session that has closed. */
export interface SnapshotTarget {
  readonly folder: string;
  /** Empty: there is none to be written. */
  readonly text: string;
}

/** Where the lines of a session go. */
export interface FlushTarget {
  /** Its innermost folder, unless it is known to exist. */
  readonly folder: string | undefined;
  readonly paths: readonly string[];
  readonly snapshot: SnapshotTarget;
  /** The length of each file: positions are absolute, so a write that failed halfway is overwritten. */
  readonly lengths: readonly number[];
}

/** A flush round: the pending lines of some sessions at one moment, and where they go. */
export interface FlushRound {
  readonly sessions: readonly JsonlSession[];
  readonly marks: readonly SessionMarks[];
  readonly targets: readonly FlushTarget[];
  readonly plan: FlushPlan;
}

/** How far a round got. */
export interface FlushOutcome {
  /** The number of sessions whose lines are all written. */
  done: number;
  /** Folders that were requested: for which session, and the topmost that was created, if any was. */
  readonly made: [session: number, topmost: string | undefined][];
  /** Why it stopped, if it did. */
  failure?: unknown;
}

export function planFlush(sessions: readonly JsonlSession[], pending: PendingWrites): FlushRound {
  return {
    sessions,
    marks: sessions.map(({ state }) => state.durableMarks()),
    targets: sessions.map(({ state: { written, durableSeq }, hasFolder, paths, snapshot = "" }) => ({
      snapshot: { folder: paths.folder, text: snapshot },
      folder: hasFolder || written.events.seq === durableSeq ? undefined : paths.ledgerFolder,
      paths: sessionFiles.map((file) => paths[file]),
      lengths: sessionFiles.map((file) => written[file].bytes),
    })),
    plan: pending.plan(sessions.map(({ number }) => number)),
  };
}

/** Ends a round: lines that are in the files are dropped from memory. */
export function endFlush(round: FlushRound, { done, made }: FlushOutcome, pending: PendingWrites): void {
  const { sessions, plan } = round;
  for (const [index, topmost] of made) {
    const session = sessions[index] as JsonlSession;
    session.newFolder ??= topmost ?? session.paths.planes; // it existed: the process that created it may not have synced its name
  }
  for (const [index, session] of sessions.slice(0, done).entries()) {
    const before = session.state.written;
    const marks = round.marks[index] as SessionMarks;
    for (const file of sessionFiles) if (before[file].seq < marks[file].seq) session.unsynced.add(file);
    session.state.markWritten(marks);
    if (round.targets[index]?.snapshot.text === session.snapshot) session.snapshot = undefined;
    session.hasFolder = marks.events.seq > 0;
  }
  pending.drop(plan, done);
}

/**
 * Writes the lines of a round on this thread, with plain calls that wait for no disk: three small files cost about 60 µs this
 * way and 300 µs through the thread pool.
 */
export async function flushHere(
  { targets, plan }: FlushRound,
  disk: Disk,
  failpoint: Failpoint,
): Promise<FlushOutcome> {
  const outcome: FlushOutcome = { done: 0, made: [] };
  try {
    for (const [index, { folder, paths, lengths, snapshot }] of targets.entries()) {
      failpoint("flush.before");
      if (folder !== undefined) outcome.made.push([index, disk.makeFolder(folder)]);
      for (const [file, path] of paths.entries()) {
        const lines = linesOf(plan, index * paths.length + file);
        if (lines !== undefined) append(disk, path, lines, lengths[file] as number);
        if (file === 0) failpoint("flush.between-files");
      }
      if (snapshot.text !== "") writeSnapshot(snapshot.folder, snapshot.text);
      failpoint("flush.after");
      outcome.done += 1;
      if (outcome.done % 16 === 0) await setImmediate();
    }
  } catch (thrown) {
    outcome.failure = thrown;
  }
  return outcome;
}

/** The lines for one file of the plan; undefined where there are none. */
function linesOf({ memories, ranges, offsets }: FlushPlan, file: number): Buffer | undefined {
  const [first, end] = [offsets[file] as number, offsets[file + 1] as number];
  if (first === end) return undefined;
  const lines: Buffer[] = [];
  for (let at = first * 3; at < end * 3; at += 3)
    lines.push((memories[ranges[at] as number] as Buffer).subarray(ranges[at + 1], ranges[at + 2]));
  return lines.length === 1 ? lines[0] : Buffer.concat(lines);
}

function append(disk: Disk, path: string, lines: Buffer, length: number): void {
  const fd = disk.open(path, "update");
  try {
    writeAll(disk, fd, lines, length);
  } finally {
    disk.close(fd);
  }
}

/** What of a session is still to be synced. */
export interface Unsynced {
  readonly session: JsonlSession;
  readonly files: readonly SessionFile[];
  readonly newFolder: string | undefined;
}

/** Takes the list of unsynced files; later writes start a new list. */
export function takeUnsynced(session: JsonlSession): Unsynced {
  const taken = { session, files: [...session.unsynced], newFolder: session.newFolder };
  session.unsynced.clear();
  session.newFolder = undefined;
  return taken;
}

/** The sync was not tried, or not completed: the next one syncs everything. */
export function putBack({ session, files, newFolder }: Unsynced): void {
  for (const file of files) session.unsynced.add(file);
  session.newFolder ??= newFolder;
}

/**
 * Makes the written files durable and returns the folders whose names are still to be synced. Those are gathered over
 * many sessions: they share their parents.
 */
export async function syncSessionFiles(
  { session: { paths }, files, newFolder }: Unsynced,
  disk: Disk,
): Promise<readonly string[]> {
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
