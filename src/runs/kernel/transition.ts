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

/** What a rule may look at: the rows that its command names, as they stand now within the transaction. */
export interface World {
  /** The database's time, read once for the transaction. */
  readonly now: number;
  run(runId: RunId): RunRow | undefined;
  /** Undefined also when the item belongs to another run: every look is scoped. */
  work(runId: RunId, workId: WorkId): WorkState | undefined;
  workByKey(runId: RunId, key: string): WorkState | undefined;
  patch(runId: RunId, patchId: PatchId): PatchState | undefined;
  /** The items that wait on this one. */
  dependents(workId: WorkId): readonly WorkState[];
  openWork(runId: RunId): readonly WorkState[];
  /** Ready items for the claim under way, in the order in which they should go. */
  readonly ready: readonly ReadyWork[];
  /** Items whose lease has run out, for the sweep under way. */
  readonly expired: readonly WorkState[];
  /** Runs that are due for a turn, for the claim under way. */
  readonly due: readonly RunRow[];
}

/** What an accepted command changes: all of it in one transaction, or none of it. */
export interface Transition<T> {
  readonly outcome: T;
  readonly runs?: readonly RunRow[];
  readonly work?: readonly WorkChange[];
  readonly patches?: readonly PatchRow[];
  readonly settled?: readonly SettledPatch[];
  readonly revisions?: readonly RevisionRow[];
  readonly events?: readonly EventDraft[];
}

/** The verb names the columns that differ: each is a query of its own, so that only its indexes are touched. */
export type WorkChange =
  | { readonly verb: "insert"; readonly item: NewWork }
  | { readonly verb: "lease" | "extend" | "end" | "requeue" | "wait" | "name"; readonly item: WorkState };

export interface SettledPatch {
  readonly run_id: RunId;
  readonly patch_id: PatchId;
  readonly revision_id: RevisionId;
  readonly verdict: "applied" | "rejected";
}

/** An event before the run's counter gave it a seq. Its run and actor are fields of the record, not of the payload. */
export interface EventDraft {
  readonly run_id: RunId;
  readonly event_type: KernelEventType;
  readonly actor_id: string;
  readonly payload: Readonly<Record<string, JsonValue | undefined>>;
}

/** The actor of what nobody asked for: expiry, and what follows from another item's end. */
export const kernelActor = "kernel";
