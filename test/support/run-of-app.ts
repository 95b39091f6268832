import type { EventLogV1, PatchV1, RunV1, WorkItemV1 } from "#core/contracts";
import { type RunId, systemClock, systemRandom } from "#core/values";
import type { ThinkingApp } from "#runs";
import { startWorkerPool } from "#runs";
import { type Runtime } from "../../src/main/parts.ts";
import { openKernel } from "../../src/runs/open-kernel.ts";

export interface FinishedRun {
  readonly run: RunV1;
  readonly work: readonly WorkItemV1[];
  readonly patches: readonly PatchV1[];
  readonly events: readonly EventLogV1[];
}

/** Starts a run of the app in the workspace, conducts it and does its work until it is closed. */
export async function runOfApp(runtime: Runtime, app: ThinkingApp, objective: string): Promise<FinishedRun> {
  const opened = await openKernel({ root: runtime.root, clock: systemClock, random: systemRandom });
  if (!opened.ok) throw new Error(opened.error.message);
  const { kernel, documents, close } = opened.value;
  const over = new AbortController();
  try {
    const started = await kernel.startRun({ app_id: app.app_id, objective, actor_id: "ada" });
    if (!started.ok) throw new Error(started.error.message);
    const { run_id } = started.value;
    const pool = startWorkerPool({ runtime, kernel, documents, apps: [app], clock: systemClock, signal: over.signal });
    const listener = kernel.wakeUp.listen([`run:${run_id}`]);
    for (;;) {
      const run = await kernel.read.run(run_id);
      if (!run.ok) throw new Error(run.error.message);
      if (run.value.status === "closed") break;
      await listener.wait(50, over.signal);
    }
    over.abort();
    await pool;
    return await readRun(kernel, run_id);
  } finally {
    await close();
  }
}

async function readRun(kernel: Parameters<typeof startWorkerPool>[0]["kernel"], runId: RunId): Promise<FinishedRun> {
  const [run, work, patches, events] = await Promise.all([
    kernel.read.run(runId),
    kernel.read.workItems(runId),
    kernel.read.patches(runId),
    kernel.read.events(runId, { after: 0, limit: 10_000 }),
  ]);
  if (!run.ok || !work.ok || !patches.ok || !events.ok) throw new Error("the run cannot be read");
  return { run: run.value, work: work.value, patches: patches.value, events: events.value };
}
