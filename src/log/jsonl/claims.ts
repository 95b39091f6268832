import * as fs from "node:fs";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { finishJournals, type RecoverDeps, type RecoveredSession } from "./recover.ts";
import { standingSegments } from "./scan-journal.ts";
import {
  closeJournals,
  isWriterAlive,
  listWriterProcesses,
  scanJournals,
  type WriterProcess,
} from "./writer-processes.ts";

/** Finishes every journal of a dead process. Under the workspace lock. */
export async function finishDeadJournals(own: string, deps: RecoverDeps): Promise<Result<readonly RecoveredSession[]>> {
  const recovered: RecoveredSession[] = [];
  for (const instance of listWriterProcesses(deps.root)) {
    if (instance.name === own || isWriterAlive(instance)) continue;
    const sessions = await finishJournals(instance, deps);
    if (!sessions.ok) return err(withRemedy(sessions.error, instance));
    recovered.push(...sessions.value);
  }
  return ok(recovered);
}

function withRemedy(error: DomainError, instance: WriterProcess): DomainError {
  if (error.code !== "LEDGER_CORRUPT") return error;
  const way = `Nothing is written until somebody has looked at it; moved out of the journal folder, ${instance.name} stays as evidence and the work goes on.`;
  return { ...error, message: `${error.message}. ${way}` };
}

/**
 * Refuses with the owner's name while a live process claims the session. Under the workspace lock, after
 * `finishDeadJournals`.
 */
export async function checkUnclaimed(session_id: SessionId, own: string, root: string): Promise<Result<void>> {
  for (const instance of listWriterProcesses(root)) {
    if (instance.name === own) continue;
    const scanned = await scanJournals(instance, session_id);
    if (!scanned.ok) return scanned;
    try {
      if (standingSegments(scanned.value).has(session_id)) {
        const owner = scanned.value.findLast((journal) => journal.owner)?.owner;
        return err(busy(session_id, instance, owner?.pid, owner?.host));
      }
      // A release that this process has read must survive a power cut too, or its owner's claim would count again.
      for (const journal of scanned.value) if (journal.released.has(session_id)) fs.fdatasyncSync(journal.fd);
    } finally {
      closeJournals(scanned.value);
    }
  }
  return ok(undefined);
}

function busy(session_id: string, instance: WriterProcess, pid: number | undefined, host: string | undefined) {
  return domainError(
    "SESSION_BUSY",
    `the session ${session_id} is written by process ${pid ?? "?"} on ${host ?? "?"} (journal ${instance.name}); it is free when that process releases it or ends`,
    { details: { session_id, instance: instance.name, pid: pid ?? null, host: host ?? null } },
  );
}
