import { domainError } from "#core/errors";
import { err, type Failpoint, ok, type Result, type SessionId } from "#core/values";
import { deriveLedgers, type LedgerRules } from "../ledger.ts";
import { checkLink, type Envelope, type Head, parseLine, sealLine, unsealedLine } from "../line.ts";
import type { SessionMarks } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { type Disk, foldersBetween, syncFolders } from "./disk.ts";
import { type SessionPaths, sessionPaths } from "./paths.ts";
import { RebuiltFile } from "./rebuilt-file.ts";
import { damaged } from "./scan-batches.ts";
import { type ScannedJournal, type Segment, standingSegments } from "./scan-journal.ts";
import { segmentLines } from "./segment-lines.ts";
import { closeJournals, scanJournals, type WriterProcess } from "./writer-processes.ts";

/** A session whose writer died, after its journal was finished. */
export interface RecoveredSession {
  readonly session_id: SessionId;
  readonly tier: Tier;
  readonly head: Head;
  /** It had ended; its head may not be anchored yet. */
  readonly closed: boolean;
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
 * Finishes a dead process's journal: for every session that it claimed, the files are cut back to the claim's marks and
 * everything above is written again from the journal, ledgers included. Writing the same bytes twice is harmless, so
 * this may itself be killed at any moment and started again; the journal is removed last. To be called under the
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

async function rebuildAll(
  journals: readonly ScannedJournal[],
  instance: WriterProcess,
  deps: RecoverDeps,
): Promise<Result<readonly RecoveredSession[]>> {
  const torn = journals.at(-1)?.end.torn ?? 0;
  const recovered: RecoveredSession[] = [];
  for (const segments of standingSegments(journals).values()) {
    const session = await rebuild(segments, { instance: instance.name, torn }, deps);
    if (!session.ok) return session;
    if (session.value) recovered.push(session.value);
  }
  return ok(recovered);
}

async function rebuild(
  segments: readonly Segment[],
  death: { readonly instance: string; readonly torn: number },
  deps: RecoverDeps,
): Promise<Result<RecoveredSession | undefined>> {
  const [first] = segments;
  if (!first) return ok(undefined);
  const { session_id, tier, base } = first.base;
  const paths = sessionPaths(deps.root, tier, session_id);
  if (base.events.seq === 0 && segments.every((segment) => segment.ranges.length === 0)) return ok(undefined); // created, without events
  const newFolder = deps.disk.makeFolder(paths.ledgerFolder);
  const files = openFiles(paths, base, deps.disk);
  try {
    deps.failpoint("recover.before-cut");
    for (const file of Object.values(files)) {
      const cut = file.cut();
      if (!cut.ok) return cut;
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
      const events = await replaySegment(segment, session_id, () => files.events.head, write);
      if (!events.ok) return events;
    }
    const closed = last?.type === "session.close";
    if (!closed) {
      const note = recoveryNote(session_id, files.events.head, death, deps);
      write(note.event, note.text);
    }
    for (const file of Object.values(files)) await file.finish();
    await syncFolders(deps.disk, foldersBetween(paths.ledgerFolder, newFolder ?? paths.ledgerFolder));
    const head = files.events.head;
    return ok({ session_id: session_id as SessionId, tier, head: { seq: head.seq, hash: head.hash }, closed });
  } finally {
    for (const file of Object.values(files)) file.close();
  }
}

/** Verifies every line before it is used: a journal that was changed after its writer died is refused. */
async function replaySegment(
  segment: Segment,
  session_id: string,
  head: () => Head,
  write: (event: Envelope, text: string) => void,
): Promise<Result<void>> {
  const { path } = segment.journal;
  const base = segment.base.base.events;
  if (head().seq !== base.seq || head().hash !== base.hash)
    return damaged(
      path,
      segment.ranges[0] ?? 0,
      `its claim on ${session_id} begins at event ${base.seq}, which is not where the session stands`,
    );
  for await (const lines of segmentLines(segment)) {
    if (!lines.ok) return lines;
    for (const { text, offset } of lines.value) {
      const event = parseLine(text);
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

function openFiles(
  paths: SessionPaths,
  base: SessionMarks,
  disk: Disk,
): Record<"events" | "exec" | "evidence", RebuiltFile> {
  return {
    events: new RebuiltFile(disk, paths.events, base.events),
    exec: new RebuiltFile(disk, paths.exec, base.exec),
    evidence: new RebuiltFile(disk, paths.evidence, base.evidence),
  };
}
