/**
 * Seed 003. Run, WorkItem, Patch, Revision, EventLog: decides transitions, schedules work, keeps leases. Never decides
 * what work means: apps do that, and workers do the work.
 */
export type { App, AppContext } from "./app.ts";
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
export { defaultLimits, type KernelLimits } from "./limits.ts";
export { type KernelEventType, kernelEventTypes, type Lease, type LeaseToken } from "./records.ts";
export { type ConductorOptions, runConductor } from "./run-conductor.ts";
export { runWorker, type WorkContext, type WorkerOptions, type WorkHandler, type WorkOutcome } from "./run-worker.ts";
export { fileDocuments } from "./store/files/documents.ts";
export type { KernelReader, KernelStore } from "./store/port.ts";
export { openSqliteKernel } from "./store/sqlite/open.ts";
