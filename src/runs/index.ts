/** Many work items to one document: kernel, apps, workers. */

export type { Question, Think, ThinkingApp, ThinkingContext, Thought } from "./apps/thinking-app.ts";
export { withBlockedWork } from "./blocked-work/collect-blocked-work.ts";
export { findApps } from "./find-apps.ts";
export type { Documents } from "./kernel/documents.ts";
export { createKernel, type Kernel } from "./kernel/kernel.ts";
export type { Lease } from "./kernel/records.ts";
export { kernelRules } from "./kernel/rules/rules.ts";
export { runConductor } from "./kernel/run-conductor.ts";
export type { WorkContext, WorkHandler, WorkOutcome } from "./kernel/run-worker.ts";
export { postgresDocuments } from "./kernel/store/postgres/documents.ts";
export { insertReadyWork } from "./kernel/store/postgres/insert-ready-work.ts";
export { openPostgresKernel } from "./kernel/store/postgres/open.ts";
export { postgresWakeUp } from "./kernel/store/postgres/wake-up.ts";
export type { OpenKernel } from "./open-kernel.ts";
export { type ProgramRuns, programRuns, type WholeRun } from "./program-runs.ts";
export { startWorkerPool } from "./start-worker-pool.ts";
