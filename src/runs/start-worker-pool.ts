import type { Postgres } from "#core/database";
import { type DomainError } from "#core/errors";
import { type Clock, ok } from "#core/values";
import { decodeText, readWorkspaceFile, type ToolRegistry } from "#effects";
import type { EventLog } from "#log";
import { readEvents } from "#work";
import type { WritConfig } from "#workspace";
import type { LoadedApp } from "./apps/thinking-app.ts";
import { archivingOldRuns } from "./archiving-runs.ts";
import { sharedWorkers } from "./built-in-workers/shared-workers.ts";
import { equipApp } from "./find-apps.ts";
import { type Documents } from "./kernel/documents.ts";
import { type Kernel } from "./kernel/kernel.ts";
import { runConductor } from "./kernel/run-conductor.ts";
import { runWorker, type WorkHandler } from "./kernel/run-worker.ts";
import { runTimes } from "./run-times.ts";
import { keepingRunsAnchored } from "./runs-anchored.ts";
import type { ThinkingParts } from "./think.ts";

/** The largest file in a patch, because a patch is stored with its files. */
const proposedFileBytes = 1024 * 1024;

/** What the workers act with. */
export interface HandlerParts extends ThinkingParts {
  readonly root: string;
  readonly log: Pick<EventLog, "read">;
  readonly tools: Pick<ToolRegistry, "list">;
}

/** The workers that Writ ships, bound to this workspace. */
export function workersOf(runtime: HandlerParts): Readonly<Record<string, WorkHandler>> {
  return sharedWorkers({
    runOrder: (order, options) => runtime.runKeyedOrder(order, options),
    sessionEvents: (session_id) => readEvents(runtime.log, session_id),
    async readFile(path) {
      const file = await readWorkspaceFile(runtime.root, path, proposedFileBytes);
      return file.ok ? ok({ hash: file.value.hash, text: decodeText(file.value.bytes) }) : file;
    },
    readOnlyTools: () =>
      runtime.tools
        .list()
        .filter(({ origin, annotations }) => origin.startsWith("mcp:") && annotations.readOnly === true)
        .map(({ name }) => name),
  });
}

export interface WorkerPoolOptions {
  readonly runtime: HandlerParts & { readonly config: WritConfig };
  readonly kernel: Kernel;
  readonly documents: Documents;
  readonly postgres?: Postgres | undefined;
  readonly apps: readonly LoadedApp[];
  /** Workers of the process's own, beside those that ship. */
  readonly workers?: Readonly<Record<string, WorkHandler>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long a lease lasts without a heartbeat, after which other processes take over; as writ.yaml says by default. */
  readonly leaseMs?: number;
  /** How long running work may continue after the signal aborts. */
  readonly graceMs?: number;
  /** Concurrent items; by default as many as the workspace allows flows. */
  readonly concurrency?: number;
  readonly onProblem?: (problem: DomainError) => void;
}

/** A conductor and workers in one process. Returns when the signal has aborted and all leased work is finished or released. */
export async function startWorkerPool(options: WorkerPoolOptions): Promise<void> {
  const { runtime, kernel, documents, clock, signal } = options;
  const { graceMs } = options;
  const times = runTimes(runtime.config);
  const { heartbeatMs, pollMs, closedForMs } = times;
  const leaseMs = options.leaseMs ?? times.leaseMs;
  const common = {
    kernel,
    clock,
    signal,
    heartbeatMs,
    pollMs,
    ...(options.onProblem ? { onProblem: options.onProblem } : {}),
    ...(graceMs === undefined ? {} : { graceMs }),
  };
  const anchoring = { ...common, postgres: options.postgres, root: runtime.root, config: runtime.config };
  const work = () =>
    Promise.all([
      runConductor({
        ...common,
        documents,
        conductor_id: kernel.ids.sortable("conductor"),
        apps: options.apps.map((app) => equipApp(app, runtime)),
        turnLeaseMs: leaseMs,
      }),
      runWorker({
        ...common,
        worker_id: kernel.ids.sortable("worker"),
        handlers: { ...workersOf(runtime), ...options.workers },
        leaseMs,
        concurrency: options.concurrency ?? runtime.config.max_concurrent_flows,
      }),
    ]);
  await keepingRunsAnchored(anchoring, () => archivingOldRuns({ ...common, documents, closedForMs }, work));
}
