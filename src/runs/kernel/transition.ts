import type { JsonValue, PatchId, RevisionId, RunId, WorkId } from "#core/values";
import type {
  KernelEventType,
  NewWork,
  PatchRow,
  PatchState,
  ReadyWork,
  RevisionRow,
  RunRow,
  WorkState,
} from "./records.ts";

/** What a rule may read: the rows that its command names, in their current state within the transaction. */
export interface World {
  /** The database's time, read once for the transaction. */
  readonly now: number;
  run(runId: RunId): RunRow | undefined;
  /** Undefined also when the item belongs to another run: every lookup is scoped. */
  work(runId: RunId, workId: WorkId): WorkState | undefined;
  workByKey(runId: RunId, key: string): WorkState | undefined;
  patch(runId: RunId, patchId: PatchId): PatchState | undefined;
  /** The items that wait on this one. */
  dependents(workId: WorkId): readonly WorkState[];
  openWork(runId: RunId): readonly WorkState[];
  /** Ready items for the current claim, in the order in which they are leased. */
  readonly ready: readonly ReadyWork[];
  /** Items whose lease has expired, for the current sweep. */
  readonly expired: readonly WorkState[];
  /** Runs that are due for a turn, for the current claim. */
  readonly due: readonly RunRow[];
}

/** What an accepted command changes, in one transaction. */
export interface Transition<T> {
  readonly outcome: T;
  readonly runs?: readonly RunRow[];
  readonly work?: readonly WorkChange[];
  readonly patches?: readonly PatchRow[];
  readonly settled?: readonly SettledPatch[];
  readonly revisions?: readonly RevisionRow[];
  readonly events?: readonly EventDraft[];
}

/** The verb says which columns differ. Each verb has its own query, so that only its indexes are updated. */
export type WorkChange =
  | { readonly verb: "insert"; readonly item: NewWork }
  | { readonly verb: "lease" | "extend" | "end" | "requeue" | "wait" | "name"; readonly item: WorkState };

export interface SettledPatch {
  readonly run_id: RunId;
  readonly patch_id: PatchId;
  readonly revision_id: RevisionId;
  readonly verdict: "applied" | "rejected";
}

/** An event before the run's counter gives it a seq. Its run and actor are fields of the record, not of the payload. */
export interface EventDraft {
  readonly run_id: RunId;
  readonly event_type: KernelEventType;
  readonly actor_id: string;
  readonly payload: Readonly<Record<string, JsonValue | undefined>>;
}

/** The actor of transitions without a caller: expiry, and what follows from another item's end. */
export const kernelActor = "kernel";
