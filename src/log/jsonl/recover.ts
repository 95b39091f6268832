import { domainError } from "#core/errors";
import { err, type Failpoint, ok, type Result, type SessionId } from "#core/values";
import type { Event } from "../event.ts";
import { deriveLedgers, type LedgerRules } from "../ledger.ts";
import { checkLink, type Envelope, type Head, parseWritten, sealLine, unsealedLine } from "../line.ts";
import type { SessionMarks } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { type Disk, foldersBetween } from "./disk.ts";
import { type SessionPaths, sessionPaths } from "./paths.ts";
import { RebuiltFile } from "./rebuilt-file.ts";
import { damaged } from "./scan-batches.ts";
import { type ScannedJournal, type Segment, standingSegments } from "./scan-journal.ts";
import { storedLines } from "./segment-lines.ts";
import { SyncThreads } from "./sync-threads.ts";
import { closeJournals, scanJournals, type WriterProcess } from "./writer-processes.ts";

/** A session whose writer died, after its journal was finished. */
export interface RecoveredSession {
  readonly session_id: SessionId;
  readonly tier: Tier;
  readonly head: Head;
  /** It had ended; its head may not be anchored yet. */
  readonly closed: boolean;
  /** What ended it, where that is at hand. */
  readonly close?: Event<"session.close">;
}

export interface RecoverDeps {
  readonly root: string;
  readonly disk: Disk;
  readonly failpoint: Failpoint;
  readonly rules: LedgerRules;
  /** The canonical payload of `log.recovered` becomes an event with this id and time. */
  readonly stamp: () => { readonly id: string; readonly ts: string };
}

/**
 * Finishes a dead process's journal: for every session that it claimed, everything above the claim's marks is written
 * again from the journal, ledgers included, and what is longer is cut. Writing the same bytes twice is harmless, so
 * this may itself be killed at any moment and started again; the journal is removed last. Also where the files say the
 * same already: after a sync that failed, what reads as written may never have reached the disk. To be called under the
 * workspace lock.
 */
export async function finishJournals(
  instance: WriterProcess,
  deps: RecoverDeps,
): Promise<Result<readonly RecoveredSession[]>> {
  const scanned = await scanJournals(instance);
  if (!scanned.ok) return scanned;
  try {
    const recovered = await rebuildAll(scanned.value, instance, deps);
    if (!recovered.ok) return recovered;
    deps.failpoint("recover.before-drop");
    deps.disk.remove(instance.folder);
    await deps.disk.syncFolder(folderAbove(instance));
    return recovered;
  } catch (thrown) {
    return err(
      domainError(
        "LEDGER_UNAVAILABLE",
        `the journal ${instance.folder} of a dead process could not be finished: ${String(thrown)}`,
        { cause: thrown },
      ),
    );
  } finally {
    closeJournals(scanned.value);
  }
}

function folderAbove(instance: WriterProcess): string {
  return instance.folder.slice(0, -instance.name.length - 1);
}

/** Sessions whose files are open, and are synced side by side: one commit of the file system serves many of them. */
const syncedAtOnce = 128;

async function rebuildAll(
  journals: readonly ScannedJournal[],
  instance: WriterProcess,
  deps: RecoverDeps,
): Promise<Result<readonly RecoveredSession[]>> {
  const torn = journals.at(-1)?.end.torn ?? 0;
  const standing = standingSegments(journals);
  const recovered: RecoveredSession[] = [];
  const folders = new Set<string>();
  const threads = new SyncThreads(deps.disk, standing.size);
  let written: RebuiltSession[] = [];
  const settle = async () => {
    await threads.sync(
      written.flatMap(({ files }) => Object.values(files).flatMap((file) => file.toSync())),
      [],
    );
    for (const { session, files, folders: own } of written) {
      for (const file of Object.values(files)) file.finish();
      for (const folder of own) folders.add(folder);
      recovered.push(session);
    }
    written = [];
  };
  try {
    for (const segments of standing.values()) {
      const rebuilt = rebuild(segments, { instance: instance.name, torn }, deps);
      if (!rebuilt.ok) return rebuilt;
      if (rebuilt.value) written.push(rebuilt.value);
      if (written.length === syncedAtOnce) await settle();
    }
    await settle();
    await threads.sync([], [...folders]);
    return ok(recovered);
  } finally {
    for (const { files } of written) closeFiles(files);
    await threads.close();
  }
}

/** A session whose lines are written and not yet synced. */
interface RebuiltSession {
  readonly session: RecoveredSession;
  readonly files: RebuiltFiles;
  /** Where names of it may not be on disk. */
  readonly folders: readonly string[];
}

type RebuiltFiles = Readonly<Record<"events" | "exec" | "evidence", RebuiltFile>>;

function closeFiles(files: RebuiltFiles): void {
  for (const file of Object.values(files)) file.close();
}

function rebuild(
  segments: readonly Segment[],
  death: { readonly instance: string; readonly torn: number },
  deps: RecoverDeps,
): Result<RebuiltSession | undefined> {
  const [first] = segments;
  if (!first) return ok(undefined);
  const { session_id, tier, base } = first.base;
  const paths = sessionPaths(deps.root, tier, session_id);
  if (base.events.seq === 0 && segments.every((segment) => segment.ranges.length === 0)) return ok(undefined); // created, without events
  const newFolder = deps.disk.makeFolder(paths.ledgerFolder);
  const files = openFiles(paths, base, deps.disk);
  let isWhole = false;
  try {
    deps.failpoint("recover.before-cut");
    for (const file of Object.values(files)) {
      const opened = file.open();
      if (!opened.ok) return opened;
    }
    deps.failpoint("recover.after-cut");
    let last: Envelope | undefined = files.events.lastEntry();
    const write = (event: Envelope, text: string) => {
      files.events.add(text, event);
      const ledgers = deriveLedgers(event, deps.rules, { exec: files.exec.head, evidence: files.evidence.head });
      if (ledgers) files.exec.add(ledgers.exec.text, ledgers.heads.exec);
      if (ledgers?.evidence) files.evidence.add(ledgers.evidence.text, ledgers.heads.evidence);
      last = event;
    };
    for (const segment of segments) {
      const events = replaySegment(segment, session_id, () => files.events.head, write);
      if (!events.ok) return events;
    }
    const end = last as unknown as Event | undefined;
    const close = end?.type === "session.close" ? end : undefined;
    if (!close) {
      const note = recoveryNote(session_id, files.events.head, death, deps);
      write(note.event, note.text);
    }
    for (const file of Object.values(files)) file.write();
    isWhole = true;
    const head = { seq: files.events.head.seq, hash: files.events.head.hash };
    const found = { session_id: session_id as SessionId, tier, head, closed: close !== undefined };
    const session = close ? { ...found, close } : found;
    return ok({ session, files, folders: foldersBetween(paths.ledgerFolder, newFolder ?? paths.folder) });
  } finally {
    if (!isWhole) closeFiles(files);
  }
}

/** Verifies every line before it is used: a journal that was changed after its writer died is refused. */
function replaySegment(
  segment: Segment,
  session_id: string,
  head: () => Head,
  write: (event: Envelope, text: string) => void,
): Result<void> {
  const { path } = segment.journal;
  const base = segment.base.base.events;
  if (head().seq !== base.seq || head().hash !== base.hash)
    return damaged(
      path,
      segment.ranges[0] ?? 0,
      `its claim on ${session_id} begins at event ${base.seq}, which is not where the session stands`,
    );
  for (const lines of storedLines(segment)) {
    if (!lines.ok) return lines;
    for (const { text, offset } of lines.value) {
      const event = parseWritten(text);
      const linked = event.ok ? checkLink(event.value, head(), session_id) : event;
      if (!event.ok || !linked.ok) return damaged(path, offset, linked.ok ? "" : linked.error.message);
      write(event.value, text);
    }
  }
  return ok(undefined);
}

/** F1: the session itself records that its writer died and what was cut. */
function recoveryNote(
  session_id: string,
  head: Head,
  death: { readonly instance: string; readonly torn: number },
  deps: RecoverDeps,
) {
  const reason = `its writer (${death.instance}) ended without closing or releasing it`;
  const payload = { at_seq: head.seq, cut_bytes: death.torn, reason, source: "journal" };
  const { id, ts } = deps.stamp();
  const line = { id, ts, type: "log.recovered", actor: "log", parent_id: null };
  const place = { session_id, seq: head.seq + 1, prev_hash: head.hash };
  const { text, hash } = sealLine(unsealedLine({ ...line, json: JSON.stringify(payload) }, place));
  return { text, event: { ...line, ...place, payload, schema_version: "v1" as const, hash } };
}

function openFiles(paths: SessionPaths, base: SessionMarks, disk: Disk): RebuiltFiles {
  return {
    events: new RebuiltFile(disk, paths.events, base.events),
    exec: new RebuiltFile(disk, paths.exec, base.exec),
    evidence: new RebuiltFile(disk, paths.evidence, base.evidence),
  };
}
