import { ok, type Result, type RunId } from "#core/values";
import { contentDrift, indexRecords } from "./content-drift.ts";
import { driftOf, foldRun, type RunView } from "./replay.ts";
import { type RunSeal, sealRun } from "./seal.ts";
import type { KernelReader } from "./store/port.ts";

export interface RunVerdict {
  readonly ok: boolean;
  readonly events: number;
  readonly head: RunSeal;
  /** Descriptions of what does not agree. */
  readonly violations: readonly string[];
}

const page = 1_000;

/** Folds the run's history again and compares it with the records and with an earlier anchored head. */
export async function verifyRun(read: KernelReader, runId: RunId, anchor?: RunSeal): Promise<Result<RunVerdict>> {
  const run = await read.run(runId);
  if (!run.ok) return run;
  const work = await read.workItems(runId);
  if (!work.ok) return work;
  const patches = await read.patches(runId);
  if (!patches.ok) return patches;
  const revisions = await read.revisions(runId);
  if (!revisions.ok) return revisions;
  const violations: string[] = [];
  const records = { run: run.value, work_items: work.value, patches: patches.value, revisions: revisions.value };
  const index = indexRecords(records);
  let view: RunView = foldRun([]);
  for (;;) {
    const events = await read.events(runId, { after: view.seq, limit: page });
    if (!events.ok) return events;
    for (const [at, event] of events.value.entries())
      if (event.seq !== view.seq + at + 1)
        violations.push(`after event ${view.seq + at} comes ${event.seq}: one is missing`);
    violations.push(...contentDrift(events.value, index));
    view = foldRun(events.value, view);
    if (events.value.length < page) break;
  }
  violations.push(...driftOf(view, records));
  const head = await sealRun(read, runId);
  if (!head.ok) return head;
  if (anchor) {
    const then = await sealRun(read, runId, { upTo: anchor.seq });
    if (!then.ok) return then;
    if (then.value.seq !== anchor.seq || then.value.hash !== anchor.hash)
      violations.push(`the history up to event ${anchor.seq} is not the one that was anchored`);
  }
  return ok({ ok: violations.length === 0, events: head.value.seq, head: head.value, violations });
}
