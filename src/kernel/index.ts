/**
 * Seed 003. Run, WorkItem, Patch, Revision, EventLog: decides transitions, schedules work, keeps leases. Never decides
 * what work means: apps do that, and workers do the work.
 */
export type { App, AppContext } from "./app.ts";
export { type ArchivedRun, archiveClosedRuns, archiveRun } from "./archive-run.ts";
export type {
  Command,
  CommandKind,
  CommandOf,
  NewPatch,
  Outcomes,
  TurnAction,
  TurnClaim,
  WorkRequest,
} from "./commands.ts";
export type { DocumentRef, Documents } from "./documents.ts";
export { createKernel, type Kernel, type KernelOptions } from "./kernel.ts";
export type { KernelLimits } from "./limits.ts";
export { type KernelEventType, kernelEventTypes, type Lease, type LeaseToken } from "./records.ts";
export { foldRun, type RunRecords, type RunView } from "./replay.ts";
export { kernelRules, type Rules } from "./rules/rules.ts";
export { type AnchoredRun, createRunAnchors, type RunAnchors } from "./run-anchors.ts";
export { type ConductorOptions, runConductor } from "./run-conductor.ts";
export { runWorker, type WorkContext, type WorkerOptions, type WorkHandler, type WorkOutcome } from "./run-worker.ts";
export { type RunSeal, sealRun } from "./seal.ts";
export { fileDocuments } from "./store/files/documents.ts";
export type { KernelReader, KernelStore } from "./store/port.ts";
export { postgresDocuments } from "./store/postgres/documents.ts";
export { openPostgresKernel } from "./store/postgres/open.ts";
export { placeWork } from "./store/postgres/place-work.ts";
export { postgresWakeUp } from "./store/postgres/wake-up.ts";
export { openSqliteKernel, type SqliteKernelOptions, sqliteKernel } from "./store/sqlite/open.ts";
export { verifyArchive } from "./verify-archive.ts";
export { type RunVerdict, verifyRun } from "./verify-run.ts";
export { createWakeUp, type WakeUp } from "./wake-up.ts";
