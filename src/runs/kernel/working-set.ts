import type { PatchId, RunId, WorkId } from "#core/values";
import type {
  EventRow,
  KernelEventType,
  PatchRow,
  PatchState,
  ReadyWork,
  RevisionRow,
  RunRow,
  WorkState,
} from "./records.ts";
import type { EventDraft, SettledPatch, Transition, WorkChange, World } from "./transition.ts";

/** The events that make a turn due. All others are the app's own actions or do not concern it. */
const facts: ReadonlySet<KernelEventType> = new Set<KernelEventType>([
  "run.started",
  "work.completed",
  "work.failed",
  "work.blocked",
  "work.canceled",
  "patch.submitted",
]);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What one step writes, in order. */
export interface StepWrites {
  readonly work: WorkChange[];
  readonly patches: PatchRow[];
  readonly settled: SettledPatch[];
  readonly revisions: RevisionRow[];
  readonly events: EventRow[];
}

/** The runs themselves change with almost every step, and are written once for several. */
export interface RunWrites {
  readonly newRuns: readonly RunRow[];
  readonly changedRuns: readonly RunRow[];
  /** Runs of which only the counters and the due time changed, as with every event. */
  readonly countedRuns: readonly RunRow[];
}

export type Writes = StepWrites & RunWrites;

/** The topics to notify once the transaction is durable. */
export interface WakeUps {
  readonly capabilities: ReadonlySet<string>;
  readonly apps: ReadonlySet<string>;
  readonly runs: ReadonlySet<RunId>;
}

/**
 * The rows that a transaction loaded, changed by one accepted command after another, so that each command sees the changes
 * of those before it. Derives from every change: seq, open work, facts, and when a turn is due.
 */
export class WorkingSet implements World {
  ready: readonly ReadyWork[] = [];
  expired: readonly WorkState[] = [];
  due: readonly RunRow[] = [];
  readonly now: number;
  readonly capabilities: Set<string> = new Set();
  readonly #runs = new Map<RunId, Mutable<RunRow>>();
  readonly #work = new Map<WorkId, WorkState>();
  readonly #keys = new Map<string, WorkId>();
  readonly #patches = new Map<PatchId, PatchState>();
  readonly #dependents = new Map<WorkId, WorkId[]>();
  readonly #open = new Map<RunId, Set<WorkId>>();
  readonly #new = new Set<RunId>();
  readonly #changed = new Set<RunId>();
  /** Of those, the ones that a rule replaced. */
  readonly #rewritten = new Set<RunId>();
  #work_: WorkChange[] = [];
  #newPatches: PatchRow[] = [];
  #settled: SettledPatch[] = [];
  #revisions: RevisionRow[] = [];
  #events: EventRow[] = [];

  constructor(now: number) {
    this.now = now;
  }

  run(runId: RunId): RunRow | undefined {
    return this.#runs.get(runId);
  }

  work(runId: RunId, workId: WorkId): WorkState | undefined {
    const item = this.#work.get(workId);
    return item?.run_id === runId ? item : undefined;
  }

  workByKey(runId: RunId, key: string): WorkState | undefined {
    const workId = this.#keys.get(`${runId}\n${key}`);
    return workId === undefined ? undefined : this.work(runId, workId);
  }

  patch(runId: RunId, patchId: PatchId): PatchState | undefined {
    const patch = this.#patches.get(patchId);
    return patch?.run_id === runId ? patch : undefined;
  }

  dependents(workId: WorkId): readonly WorkState[] {
    const ids = this.#dependents.get(workId);
    if (!ids) return [];
    return ids.map((id) => this.#work.get(id)).filter((item) => item !== undefined);
  }

  openWork(runId: RunId): readonly WorkState[] {
    const ids = this.#open.get(runId);
    if (!ids) return [];
    const items: WorkState[] = [];
    for (const id of ids) {
      const item = this.#work.get(id);
      if (item && isOpen(item)) items.push(item);
    }
    return items;
  }

  // Loading: a driver adds the rows that the commands name. A row that is already here is newer than the stored one.

  hasRun(runId: RunId): boolean {
    return this.#runs.has(runId);
  }

  addRun(run: RunRow): void {
    if (!this.#runs.has(run.run_id)) this.#runs.set(run.run_id, { ...run });
  }

  addWork(item: WorkState): void {
    if (!this.#work.has(item.work_id)) this.#work.set(item.work_id, item);
  }

  hasWork(workId: WorkId): boolean {
    return this.#work.has(workId);
  }

  addKey(runId: RunId, key: string, workId: WorkId): void {
    this.#keys.set(`${runId}\n${key}`, workId);
  }

  addPatch(patch: PatchState): void {
    if (!this.#patches.has(patch.patch_id)) this.#patches.set(patch.patch_id, patch);
  }

  addDependents(workId: WorkId, dependents: readonly WorkId[]): void {
    if (!this.#dependents.has(workId)) this.#dependents.set(workId, [...dependents]);
  }

  addOpenWork(runId: RunId, workIds: readonly WorkId[]): void {
    const known = this.#open.get(runId) ?? new Set();
    for (const id of workIds) known.add(id);
    this.#open.set(runId, known);
  }

  // Changing.

  apply(transition: Transition<unknown>): void {
    for (const run of transition.runs ?? []) {
      if (!this.#runs.has(run.run_id)) this.#new.add(run.run_id);
      this.#runs.set(run.run_id, { ...run });
      this.#rewritten.add(run.run_id);
      this.#touch(run.run_id);
    }
    for (const change of transition.work ?? []) this.#applyWork(change);
    for (const patch of transition.patches ?? []) {
      this.#patches.set(patch.patch_id, patch);
      this.#newPatches.push(patch);
    }
    for (const settled of transition.settled ?? []) {
      const patch = this.#patches.get(settled.patch_id);
      if (patch)
        this.#patches.set(settled.patch_id, {
          ...patch,
          applied_in_revision_id: settled.verdict === "applied" ? settled.revision_id : patch.applied_in_revision_id,
          rejected_in_revision_id: settled.verdict === "rejected" ? settled.revision_id : patch.rejected_in_revision_id,
        });
      this.#settled.push(settled);
    }
    for (const revision of transition.revisions ?? []) this.#revisions.push(revision);
    for (const draft of transition.events ?? []) this.#applyEvent(draft);
  }

  #applyWork(change: WorkChange): void {
    const { item } = change;
    const before = this.#work.get(item.work_id);
    const run = this.#runs.get(item.run_id);
    this.#work.set(item.work_id, item);
    this.#work_.push(change);
    if (item.ready) this.capabilities.add(item.capability);
    if (!run) return;
    if (change.verb === "insert") {
      if (isOpen(item)) run.open_work += 1;
      this.addOpenWork(item.run_id, [item.work_id]);
      if (change.item.idempotency_key !== null) this.addKey(item.run_id, change.item.idempotency_key, item.work_id);
      for (const dependency of change.item.depends_on) {
        const others = this.#dependents.get(dependency) ?? [];
        others.push(item.work_id);
        this.#dependents.set(dependency, others);
      }
    } else if (change.verb === "end" && before && isOpen(before)) run.open_work -= 1;
  }

  #applyEvent(draft: EventDraft): void {
    const run = this.#runs.get(draft.run_id);
    if (!run) return;
    run.last_seq += 1;
    if (isFact(draft)) run.fact_seq = run.last_seq;
    this.#touch(draft.run_id);
    this.#events.push({
      run_id: draft.run_id,
      seq: run.last_seq,
      event_type: draft.event_type,
      payload: JSON.stringify(draft.payload),
      actor_id: draft.actor_id,
      created_at: this.now,
    });
  }

  #touch(runId: RunId): void {
    this.#changed.add(runId);
  }

  /** The changes of items since the last take. */
  get changes(): readonly WorkChange[] {
    return this.#work_;
  }

  /** Returns the pending writes and clears them; the rows stay, for the next step of the same transaction. */
  takeWrites(): Writes {
    return { ...this.takeStep(), ...this.takeRuns() };
  }

  /** The same without the runs. */
  takeStep(): StepWrites {
    const writes: StepWrites = {
      work: this.#work_,
      patches: this.#newPatches,
      settled: this.#settled,
      revisions: this.#revisions,
      events: this.#events,
    };
    this.#work_ = [];
    this.#newPatches = [];
    this.#settled = [];
    this.#revisions = [];
    this.#events = [];
    return writes;
  }

  /** The runs that changed since the last take. */
  takeRuns(): RunWrites {
    const newRuns: RunRow[] = [];
    const changedRuns: RunRow[] = [];
    const countedRuns: RunRow[] = [];
    for (const runId of this.#changed) {
      const run = this.#runs.get(runId);
      if (!run) continue;
      run.updated_at = this.now;
      run.turn_due_at = turnDueAt(run, this.now);
      if (this.#new.has(runId)) newRuns.push(run);
      else (this.#rewritten.has(runId) ? changedRuns : countedRuns).push(run);
    }
    this.#changed.clear();
    this.#rewritten.clear();
    this.#new.clear();
    return { newRuns, changedRuns, countedRuns };
  }
}

/** A patch that the app itself wrote is no fact, like the revision that contains it. */
function isFact({ event_type, payload }: EventDraft): boolean {
  return facts.has(event_type) && !(event_type === "patch.submitted" && payload["author_kind"] === "app");
}

function isOpen(item: WorkState): boolean {
  return item.status === "queued" || item.status === "leased";
}

/**
 * When a conductor may run the app: at once for a new fact, after the backoff of a failed turn, or when the claim of a dead
 * conductor expires. Null without a new fact: an app that has answered is not run again until something happens.
 */
function turnDueAt(run: RunRow, now: number): number | null {
  if (run.status === "closed") return null;
  if (run.turn_owner !== null) return run.turn_expires_at;
  if (run.fact_seq <= run.seen_seq) return null;
  if (run.turn_not_before > now) return run.turn_not_before;
  return run.turn_due_at !== null && run.turn_due_at <= now ? run.turn_due_at : now; // keeps its position in the queue
}
