import * as fs from "node:fs";
import { join } from "node:path";
import { codeOfError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { SessionPlace } from "../event-log.ts";
import { type Tier, tiers } from "../tier.ts";
import type { JournalScans } from "./journal-scans.ts";
import { sessionPaths, sessionsFolder } from "./paths.ts";
import { type ScannedJournal, type Segment, standingSegments } from "./scan-journal.ts";
import { closeJournals, listWriterProcesses, scanJournals, type WriterProcess } from "./writer-processes.ts";

/** The folder of a session, if it exists. */
export function placeOnDisk(root: string, session_id: string): SessionPlace | undefined {
  for (const tier of tiers) {
    const { folder, events } = sessionPaths(root, tier, session_id);
    if (fs.existsSync(events)) return { tier, folder };
  }
  return undefined;
}

/** The planes with events of a session. Writ writes each session on one; a copied folder may make it two. */
export function planesOnDisk(root: string, session_id: string): readonly Tier[] {
  return tiers.filter((tier) => fs.existsSync(sessionPaths(root, tier, session_id).events));
}

/** Whether a session has a folder on this plane, whatever is in it. Checked for every session that is created. */
export function hasFolder(root: string, tier: Tier, session_id: string): boolean {
  return fs.existsSync(join(sessionsFolder(root, tier), session_id));
}

export interface FoundSegments {
  /** In the order of the chain. */
  readonly segments: readonly Segment[];
  close(): void;
}

/** Which journals are read. */
export interface Journals {
  readonly root: string;
  /** The journal of this process, skipped: its content is in this process's memory or in the session's file. */
  readonly without?: string | undefined;
  readonly scans: JournalScans;
}

/** What the journals of all processes, live and dead, hold of one session. */
export async function findSegments(journals: Journals, session_id: string): Promise<Result<FoundSegments>> {
  const open: ScannedJournal[] = [];
  const segments: Segment[] = [];
  const looked = await eachJournal(journals, async (scanned) => {
    // Later looks lengthen what is remembered, and read it from files of their own.
    const found = (standingSegments(scanned).get(session_id) ?? []).map((each) => ({
      ...each,
      ranges: [...each.ranges],
    }));
    segments.push(...found);
    for (const journal of scanned)
      if (found.some((segment) => segment.journal.fd === journal.fd)) open.push(journal);
      else journal.close();
  });
  if (!looked.ok) {
    closeJournals(open);
    return looked;
  }
  for (const { journal, ranges } of segments) if (ranges.length > 0) syncForReading(journal.fd);
  segments.sort((a, b) => a.base.base.events.seq - b.base.base.events.seq);
  return ok({ segments, close: () => closeJournals(open) });
}

/** The journals of each process, one process after the other; `use` closes them. */
export function eachJournal(
  { root, without, scans }: Journals,
  use: (scanned: readonly ScannedJournal[], instance: WriterProcess) => Promise<void>,
): Promise<Result<void>> {
  return scans.look(async (memory, seen) => {
    for (const instance of listWriterProcesses(root)) {
      if (instance.name === without) continue;
      const scanned = await scanJournals(instance, undefined, memory);
      if (!scanned.ok) return scanned;
      for (const { path } of scanned.value) seen.add(path);
      await use(scanned.value, instance);
    }
    return ok(undefined);
  });
}

/** A read-only mount has nothing to sync. */
const cannotSync: readonly unknown[] = ["EROFS", "EINVAL", "EBADF", "EPERM", "ENOTSUP"];

/**
 * A live writer may have written events that it has not synced yet. No event is shown before it is durable, so the
 * reader syncs the journal itself.
 */
function syncForReading(fd: number): void {
  try {
    fs.fdatasyncSync(fd);
  } catch (thrown) {
    if (!cannotSync.includes(codeOfError(thrown))) throw thrown;
  }
}

export function sessionNotFound(session_id: SessionId): Result<never> {
  return err(
    domainError(
      "NOT_FOUND",
      `there is no session ${session_id} in this workspace; \`writ session list\` names those that are`,
      { details: { session_id } },
    ),
  );
}
