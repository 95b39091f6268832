import type { EventLogV1, PatchV1, RevisionV1, RunV1, WorkItemV1 } from "#core/contracts";
import type { Result, RunId } from "#core/values";
import type { Command, CommandKind, Outcomes } from "../commands.ts";
import type { WakeUps } from "../working-set.ts";

/** Where the five records live. A driver keeps them, chooses who may be claimed, and knows the time of leases. */
export interface KernelStore {
  /**
   * Applies commands in one transaction and answers once it is durable, each command with its own verdict. An error
   * of the whole means that nothing was applied, or (`in_doubt` in its details) that nobody can tell: every command
   * may be repeated as it is.
   */
  commit(commands: readonly Command[]): Promise<Result<CommitReport>>;
  /** How many commits gain from being under way at once; 1 unless said. */
  readonly commitsAtOnce?: number;
  readonly read: KernelReader;
  readonly archive: KernelArchive;
  close(): Promise<void>;
}

export interface CommitReport {
  readonly results: readonly Result<Outcomes[CommandKind]>[];
  readonly wake: WakeUps;
}

/** Lets go of closed runs whose records are kept elsewhere. The run itself stays, and names where. */
export interface KernelArchive {
  /** Names the archive; false when the run is open or has one already. */
  mark(runId: RunId, ref: string): Promise<Result<boolean>>;
  /** Drops a bounded share of an archived run's rows; true once nothing is left. */
  dropSome(runId: RunId): Promise<Result<boolean>>;
}

/** Contract documents, as they stand committed. */
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
