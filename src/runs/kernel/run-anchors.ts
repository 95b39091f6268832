import type { RunV1 } from "#core/contracts";
import { ok, type Result, type RunId } from "#core/values";
import type { Anchors } from "#proof";
import type { Kernel } from "./kernel.ts";
import { type RunSeal, sealRun } from "./seal.ts";

/** A head that is already in the anchor log. */
export interface AnchoredRun extends RunSeal {
  readonly closed: boolean;
}

export interface RunAnchors {
  /** Anchors every run that has grown since its last head. Returns how many heads were added. */
  anchorGrown(): Promise<Result<number>>;
}

const page = 200;

/**
 * Writes the heads of runs into the workspace's anchor log, beside those of sessions, so that a changed row of the kernel can
 * be detected from outside its database. Each run is sealed from its last head on, so a pass costs only the new events.
 */
export function createRunAnchors(options: {
  readonly kernel: Kernel;
  readonly anchors: Anchors;
  /** The newest head of each run that is anchored already. */
  readonly anchored: Iterable<AnchoredRun>;
}): RunAnchors {
  const { kernel, anchors } = options;
  const heads = new Map([...options.anchored].map((head) => [head.run_id, head]));

  const anchor = async (run: RunV1): Promise<Result<boolean>> => {
    const before = heads.get(run.run_id as RunId);
    if (before?.closed || run.archive_ref !== undefined) return ok(false);
    const closed = run.status === "closed";
    const sealed = await sealRun(kernel.read, run.run_id as RunId, before ? { from: before } : {});
    if (!sealed.ok) return sealed;
    if (sealed.value.seq === 0 || (before?.seq === sealed.value.seq && !closed)) return ok(false);
    const added = await anchors.add({
      session_id: run.run_id,
      seq: sealed.value.seq,
      head_hash: sealed.value.hash,
      exec_head: null,
      evidence_head: null,
      closed_at: closed ? run.updated_at : null,
    });
    if (!added.ok) return added;
    heads.set(sealed.value.run_id, { ...sealed.value, closed });
    return ok(true);
  };

  /** Reads runs newest first and stops after a page without a new head. */
  const pass = async (status: "active" | "closed"): Promise<Result<number>> => {
    let added = 0;
    for (let before: string | undefined; ; ) {
      const runs = await kernel.read.runs({ status, limit: page, ...(before === undefined ? {} : { before }) });
      if (!runs.ok) return runs;
      const results = await Promise.all(runs.value.map(anchor));
      const failed = results.find((result) => !result.ok);
      if (failed && !failed.ok) return failed;
      const fresh = results.filter((result) => result.ok && result.value).length;
      added += fresh;
      before = runs.value.at(-1)?.run_id;
      if (runs.value.length < page || (status === "closed" && fresh === 0)) return ok(added);
    }
  };

  return {
    async anchorGrown() {
      // A run that was open at the last pass may be closed by now, and older than the newest closed ones.
      const open = [...heads.values()].filter((head) => !head.closed);
      const active = await pass("active");
      if (!active.ok) return active;
      let ended = 0;
      for (const { run_id } of open) {
        const run = await kernel.read.run(run_id);
        if (!run.ok && run.error.code === "NOT_FOUND") continue; // reported by verify; there is nothing to seal
        const added = run.ok ? await anchor(run.value) : run;
        if (!added.ok) return added;
        if (added.value) ended += 1;
      }
      const closed = await pass("closed");
      return closed.ok ? ok(active.value + ended + closed.value) : closed;
    },
  };
}
