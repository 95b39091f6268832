import type { Answer, Invocation } from "#core/commands";
import { type ExitStatus, exitStatus, statusOfAbort } from "#core/commands";
import type { RunV1 } from "#core/contracts";
import { ok, type Result, type RunId } from "#core/values";
import type { LoadedApp } from "../apps/thinking-app.ts";
import { runTimes } from "../run-times.ts";
import type { WorkerPoolOptions } from "../start-worker-pool.ts";
import { followRun } from "../story/follow-run.ts";
import { runOfAppStory } from "../story/run-of-app-story.ts";

/** What this process needs to work on a run. */
export type WorkOnRunParts = Pick<WorkerPoolOptions, "runtime" | "kernel" | "documents">;

/** Short, because a person who resumes a killed run waits for its leases to expire. A live process sends three heartbeats in it. */
const shortLeaseMs = 6_000;
/** Short, because a person waits after Ctrl-C. Work that is cut off continues with the next start. */
const graceMs = 3_000;

/** Runs a conductor and workers in this process, and prints the story of the run, until it is closed. */
export async function workOnRun(
  { runtime, kernel, documents }: WorkOnRunParts,
  invocation: Invocation<object>,
  run: { readonly run_id: RunId; readonly app_id: string },
  apps: readonly LoadedApp[],
): Promise<Result<Answer>> {
  const { context, json, debug } = invocation;
  const { startWorkerPool } = await import("../start-worker-pool.ts");
  const story = json ? undefined : runOfAppStory(invocation, run, { kernel, documents });
  const over = new AbortController();
  const stop = (): void => over.abort(context.signal.reason);
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  const pool = startWorkerPool({
    runtime,
    kernel,
    documents,
    apps,
    clock: context.clock,
    signal: over.signal,
    leaseMs: Math.min(shortLeaseMs, runTimes(runtime.config).leaseMs),
    graceMs,
    onProblem: (problem) => {
      if (debug) context.stderr.write(`writ: ${problem.code}: ${problem.message}\n`);
    },
  });
  const followed = await followRun(kernel, run.run_id, {
    signal: context.signal,
    onEvent: (event) => story?.onEvent(event),
  });
  over.abort();
  await pool;
  context.signal.removeEventListener("abort", stop);
  if (!followed.ok) return followed;
  await story?.end(followed.value);
  return ok({
    json: { run: followed.value },
    exit: followed.value.status === "closed" ? exitOfRun(followed.value) : statusOfAbort(context.signal),
  });
}

function exitOfRun({ close_reason }: RunV1): ExitStatus {
  if (close_reason === "completed") return exitStatus.done;
  return close_reason === "blocked" ? exitStatus.waiting : exitStatus.failed;
}
