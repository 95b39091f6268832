import type { RunId, WorkId } from "#core/values";
import type { RunRow, WorkState } from "../../records.ts";
import type { WorkChange } from "../../transition.ts";

interface Remembered {
  /** Where the run's counter stood when this was so. */
  seq: number;
  readonly items: Map<WorkId, WorkState>;
}

/** The counters of the runs that a step changed, before and after it, and the items that it changed. */
export interface CommittedStep {
  readonly runs: ReadonlyMap<RunId, { readonly before: number; readonly after: number }>;
  readonly work: readonly WorkChange[];
}

/** More than workers of one process hold at once; above it everything is forgotten. */
const most = 50_000;

/**
 * The leased items that this process left behind. They are as they were as long as the run's counter is where it was: it is
 * read under the run's lock, and moves with everything that happens to a run. So the end of an item needs no look at it when
 * nobody else was at its run, which spared a drain a sixth of the server's work.
 */
export class RunMemory {
  readonly #runs = new Map<RunId, Remembered>();
  #count = 0;

  knows(runId: RunId, workId: WorkId): boolean {
    return this.#runs.get(runId)?.items.has(workId) === true;
  }

  /** The item as it is; undefined if somebody was at its run meanwhile. */
  recall(run: RunRow | undefined, workId: WorkId): WorkState | undefined {
    const remembered = run && this.#runs.get(run.run_id);
    return remembered && remembered.seq === run.last_seq ? remembered.items.get(workId) : undefined;
  }

  /** What one committed step did. */
  keep({ runs, work }: CommittedStep): void {
    for (const [runId, { before, after }] of runs) {
      const remembered = this.#runs.get(runId);
      if (!remembered) continue;
      if (remembered.seq === before) remembered.seq = after;
      else this.#forget(runId);
    }
    for (const { item } of work) {
      const seqs = runs.get(item.run_id);
      // What was made and leased in one go has no number here yet.
      if (seqs && item.status === "leased" && item.number > 0) this.#add(seqs.after, item);
      else this.#drop(item);
    }
    if (this.#count > most) this.#forgetAll();
  }

  #add(seq: number, item: WorkState): void {
    let remembered = this.#runs.get(item.run_id);
    if (!remembered) this.#runs.set(item.run_id, (remembered = { seq, items: new Map() }));
    if (!remembered.items.has(item.work_id)) this.#count += 1;
    remembered.items.set(item.work_id, item);
  }

  #drop({ run_id, work_id }: WorkState): void {
    const remembered = this.#runs.get(run_id);
    if (!remembered?.items.delete(work_id)) return;
    this.#count -= 1;
    if (remembered.items.size === 0) this.#runs.delete(run_id);
  }

  #forget(runId: RunId): void {
    this.#count -= this.#runs.get(runId)?.items.size ?? 0;
    this.#runs.delete(runId);
  }

  #forgetAll(): void {
    this.#runs.clear();
    this.#count = 0;
  }
}
