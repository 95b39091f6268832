import type { EventLogV1, PatchV1, RevisionV1, RunV1, WorkItemV1 } from "#core/contracts";
import type { Result, RunId } from "#core/values";
import type { Command, CommandKind, Outcomes } from "../commands.ts";
import type { WakeUps } from "../working-set.ts";

/** Stores the five records. A driver also chooses what a claim gets, and owns the time of leases. */
export interface KernelStore {
  /**
   * Applies commands in one transaction and resolves once it is durable, with a result per command. An error of the whole
   * commit means that nothing was applied or, with `in_doubt` in its details, that the outcome is unknown. Every command may be
   * repeated unchanged.
   */
  commit(commands: readonly Command[]): Promise<Result<CommitReport>>;
  /** How many concurrent commits are useful; 1 by default. */
  readonly commitsAtOnce?: number;
  readonly read: KernelReader;
  readonly archive: KernelArchive;
  close(): Promise<void>;
}

export interface CommitReport {
  readonly results: readonly Result<Outcomes[CommandKind]>[];
  readonly wake: WakeUps;
}

/** Deletes the rows of closed runs that were archived. The run's own row stays and names the archive. */
export interface KernelArchive {
  /** Sets the run's archive; false when the run is open or has one already. */
  mark(runId: RunId, ref: string): Promise<Result<boolean>>;
  /** Deletes a bounded number of an archived run's rows; true once none is left. */
  dropSome(runId: RunId): Promise<Result<boolean>>;
}

/** Reads committed records as contract documents. */
export interface KernelReader {
  run(runId: RunId): Promise<Result<RunV1>>;
  runs(query: RunQuery): Promise<Result<readonly RunV1[]>>;
  workItems(runId: RunId, query?: PageQuery): Promise<Result<readonly WorkItemV1[]>>;
  /** One patch of the run, with its operations. */
  patch(runId: RunId, patchId: string): Promise<Result<PatchV1>>;
  patches(runId: RunId, query?: PageQuery): Promise<Result<readonly PatchV1[]>>;
  revision(runId: RunId, revisionId: string): Promise<Result<RevisionV1>>;
  revisions(runId: RunId, query?: PageQuery): Promise<Result<readonly RevisionV1[]>>;
  /** The run's history after `after`, in order, at most `limit`. */
  events(runId: RunId, query: EventQuery): Promise<Result<readonly EventLogV1[]>>;
  unappliedPatchIds(runId: RunId, limit: number): Promise<Result<readonly string[]>>;
  openWork(runId: RunId, limit: number): Promise<Result<readonly WorkItemV1[]>>;
}

export interface PageQuery {
  /** Everything that came after this id. */
  readonly after?: string;
  readonly limit?: number;
}

export interface RunQuery {
  readonly status?: "active" | "closed";
  readonly before?: string;
  readonly closedBefore?: number;
  readonly limit: number;
}

export interface EventQuery {
  readonly after: number;
  readonly limit: number;
}
