import type { EventLogV1, PatchV1, RevisionV1, RunV1, WorkItemV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result, type RunId } from "#core/values";
import type { LoadedApp, ThinkingApp } from "./apps/thinking-app.ts";
import type { WorkHandler } from "./kernel/run-worker.ts";
import type { OpenKernel } from "./open-kernel.ts";
import type { WorkerPoolOptions } from "./start-worker-pool.ts";

/** A run with everything in it, as `writ runs show` prints it. */
export interface WholeRun {
  readonly run: RunV1;
  readonly work_items: readonly WorkItemV1[];
  readonly patches: readonly PatchV1[];
  readonly revisions: readonly RevisionV1[];
}

/** What `writ runs` does, for an embedding program: with its own apps and workers beside those that ship. */
export interface ProgramRuns {
  /** Opens a run for an app. Nothing works on it before `work`, or a conductor and workers elsewhere. */
  start(wanted: { readonly app: string; readonly objective: string; readonly actor?: string }): Promise<Result<RunV1>>;
  /** Conducts the run and does its work in this process until it is closed or the signal aborts. */
  work(
    run_id: string,
    options?: { readonly signal?: AbortSignal; readonly onEvent?: (event: EventLogV1) => void },
  ): Promise<Result<RunV1>>;
  list(wanted?: { readonly limit?: number; readonly status?: "active" | "closed" }): Promise<Result<readonly RunV1[]>>;
  show(run_id: string): Promise<Result<WholeRun>>;
  events(
    run_id: string,
    page?: { readonly after?: number; readonly limit?: number },
  ): Promise<Result<readonly EventLogV1[]>>;
  /** The document of a revision; of the newest without one. */
  document(run_id: string, revision?: string): Promise<Result<string>>;
  /** Proposes a changed document: the difference becomes a patch. Null where nothing was changed. */
  patch(
    run_id: string,
    wanted: { readonly text: string; readonly base?: string; readonly actor?: string },
  ): Promise<Result<{ readonly patch_id: string } | null>>;
  cancel(run_id: string, how?: { readonly actor?: string; readonly message?: string }): Promise<Result<RunV1>>;
}

interface Sources {
  readonly runtime: WorkerPoolOptions["runtime"] & { readonly caller: string };
  readonly clock: Clock;
  /** Opened with the first use: most programs have no runs. */
  readonly open: () => Promise<Result<OpenKernel>>;
  readonly apps: readonly ThinkingApp[];
  readonly workers: Readonly<Record<string, WorkHandler>>;
}

/** A run that is killed goes on with the next start, once its leases have expired. */
const leaseMs = 6_000;
const graceMs = 3_000;

export function programRuns({ runtime, clock, open, apps, workers }: Sources): ProgramRuns {
  const actorOf = (actor: string | undefined) => actor ?? runtime.caller;
  const appNamed = async (named: string): Promise<Result<LoadedApp>> => {
    const own = apps.find(({ app_id }) => app_id === named);
    if (own) return ok(own);
    const { findApp } = await import("./find-apps.ts");
    return using(open, ({ modules }) => findApp(named, modules));
  };
  return {
    async start({ app, objective, actor }) {
      if (objective.trim() === "") return err(domainError("MALFORMED_INPUT", "the objective says nothing"));
      const found = await appNamed(app);
      if (!found.ok) return found;
      return using(open, async ({ kernel }) => {
        const begun = await kernel.startRun({ app_id: found.value.app_id, objective, actor_id: actorOf(actor) });
        return begun.ok ? kernel.read.run(begun.value.run_id) : begun;
      });
    },
    work: (run_id, { signal, onEvent } = {}) =>
      using(open, async ({ kernel, documents, postgres }) => {
        const run = await kernel.read.run(run_id as RunId);
        if (!run.ok) return run;
        const app = await appNamed(run.value.app_id);
        if (!app.ok) return app;
        const { startWorkerPool } = await import("./start-worker-pool.ts");
        const { followRun } = await import("./story/follow-run.ts");
        const over = new AbortController();
        const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
        const pool = startWorkerPool({
          runtime,
          kernel,
          documents,
          postgres,
          apps: [app.value],
          workers,
          clock,
          signal: stop,
          leaseMs,
          graceMs,
        });
        const followed = await followRun(kernel, run_id as RunId, {
          signal: stop,
          onEvent: (event) => onEvent?.(event),
        });
        over.abort();
        await pool;
        return followed;
      }),
    list: ({ limit = 100, status } = {}) =>
      using(open, ({ kernel }) => kernel.read.runs({ limit, ...(status === undefined ? {} : { status }) })),
    show: (named) =>
      using(open, async ({ kernel: { read } }) => {
        const run_id = named as RunId;
        const [run, work_items, patches, revisions] = await Promise.all([
          read.run(run_id),
          read.workItems(run_id),
          read.patches(run_id),
          read.revisions(run_id),
        ]);
        if (!run.ok) return run;
        if (!work_items.ok) return work_items;
        if (!patches.ok) return patches;
        if (!revisions.ok) return revisions;
        return ok({
          run: run.value,
          work_items: work_items.value,
          patches: patches.value,
          revisions: revisions.value,
        });
      }),
    events: (run_id, { after = 0, limit = 1_000 } = {}) =>
      using(open, ({ kernel }) => kernel.read.events(run_id as RunId, { after, limit })),
    document: (run_id, revision = "head") =>
      using(open, async ({ kernel, documents }) => {
        const { readRevision } = await import("./apps/read-revision.ts");
        const found = await readRevision({ read: kernel.read, documents }, run_id as RunId, revision);
        return found.ok ? ok(found.value.text) : found;
      }),
    patch: (run_id, { text, base, actor }) =>
      using(open, async (parts) => {
        const { proposeChange } = await import("./apps/propose-change.ts");
        const author_id = actorOf(actor);
        const wanted = { run_id: run_id as RunId, author_id, text, ...(base === undefined ? {} : { base }) };
        const proposed = await proposeChange(parts, wanted);
        if (!proposed.ok) return proposed;
        return ok(proposed.value === null ? null : { patch_id: proposed.value.patch_id });
      }),
    cancel: (named, { actor, message } = {}) =>
      using(open, async ({ kernel }) => {
        const run_id = named as RunId;
        const said = message === undefined ? {} : { message };
        const done = await kernel.submit<"cancel_run">({
          kind: "cancel_run",
          run_id,
          actor_id: actorOf(actor),
          ...said,
        });
        return done.ok ? kernel.read.run(run_id) : done;
      }),
  };
}

async function using<T>(open: Sources["open"], work: (kernel: OpenKernel) => Promise<Result<T>>): Promise<Result<T>> {
  const kernel = await open();
  return kernel.ok ? work(kernel.value) : kernel;
}
