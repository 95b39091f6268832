import { ok, type Result, type SessionId } from "#core/values";
import type { ListedSessions } from "../list-sessions.ts";
import { standingSegments } from "../scan-journal.ts";
import { eachJournal, type Journals } from "../session-paths.ts";
import { closeJournals, isWriterAlive } from "../writer-processes.ts";

/**
 * Of these sessions, those that a live process writes. No workspace lock is needed: a journal that claims a session was locked
 * before it claimed anything.
 */
export async function sessionsAtWork(
  ids: readonly SessionId[],
  journals: Journals,
  own: Pick<ListedSessions, "session"> | undefined,
): Promise<Result<ReadonlySet<string>>> {
  const found = new Set<string>(ids.filter((id) => own?.session(id) !== undefined));
  if (found.size === ids.length) return ok(found);
  const asked = new Set<string>(ids);
  const looked = await eachJournal(journals, async (scanned, instance) => {
    const claimed = [...standingSegments(scanned).keys()].filter((id) => asked.has(id));
    closeJournals(scanned);
    if (claimed.length > 0 && isWriterAlive(instance)) for (const id of claimed) found.add(id);
  });
  return looked.ok ? ok(found) : looked;
}
