import type { Sqlite } from "#core/database";
import type { RunId, WorkId } from "#core/values";
import type { WorkState } from "../../records.ts";
import type { WorkChange } from "../../transition.ts";

/** Enough for the leases of a busy process; beyond that the rows are simply read again. */
const most = 50_000;

/**
 * The rows of leased items as this connection last wrote them: what a worker completes, it leased a moment ago. They are
 * good while nobody else has committed, which SQLite tells (`data_version`); reading each again cost 5.5 of 25 µs an item.
 */
export interface LeasedRows {
  /** Asked with the write lock held: forgets everything if another connection has written meanwhile. */
  refresh(): void;
  get(runId: RunId, workId: WorkId): WorkState | undefined;
  /** After a commit. */
  keep(changes: readonly WorkChange[]): void;
  forget(): void;
}

export function createLeasedRows(database: Sqlite): LeasedRows {
  const rows = new Map<WorkId, WorkState>();
  const version = database.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = version.get();
  return {
    refresh() {
      const now = version.get();
      if (now === seen) return;
      seen = now;
      rows.clear();
    },
    get(runId, workId) {
      const row = rows.get(workId);
      return row?.run_id === runId ? row : undefined;
    },
    keep(changes) {
      for (const { item } of changes)
        if (item.status === "leased") rows.set(item.work_id, item);
        else rows.delete(item.work_id);
      if (rows.size > most) rows.clear();
    },
    forget: () => rows.clear(),
  };
}
