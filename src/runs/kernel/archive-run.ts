import { domainError } from "#core/errors";
import { err, type Failpoint, noFailpoints, ok, type Result, type RunId } from "#core/values";
import type { Documents } from "./documents.ts";
import type { Kernel } from "./kernel.ts";
import { sealRun } from "./seal.ts";

export interface ArchivedRun {
  readonly run_id: RunId;
  readonly archive_ref: string;
}

/**
 * Writes a closed run's records into one document, one line per record with its kind, sealed at the end; then deletes the
 * rows in bounded chunks. After an interruption it continues: the run names its document before the first row is deleted.
 */
export async function archiveRun(
  kernel: Kernel,
  documents: Documents,
  runId: RunId,
  failpoint: Failpoint = noFailpoints,
): Promise<Result<ArchivedRun>> {
  const run = await kernel.read.run(runId);
  if (!run.ok) return run;
  if (run.value.status !== "closed")
    return err(domainError("RUN_HAS_OPEN_WORK", `run ${runId} is still active: only closed runs are archived`));
  let ref = run.value.archive_ref;
  if (ref === undefined) {
    const content = await archiveOf(kernel, runId);
    if (!content.ok) return content;
    const kept = await documents.put(content.value);
    if (!kept.ok) return kept;
    failpoint("archive.kept");
    ref = `sha256:${kept.value.sha256}`;
    const marked = await kernel.archive.mark(runId, ref);
    if (!marked.ok) return marked;
    failpoint("archive.marked");
  }
  for (;;) {
    const done = await kernel.archive.dropSome(runId);
    if (!done.ok) return done;
    failpoint("archive.dropped");
    if (done.value) return ok({ run_id: runId, archive_ref: ref });
  }
}

async function archiveOf(kernel: Kernel, runId: RunId): Promise<Result<string>> {
  const { read } = kernel;
  const lines: string[] = [];
  const add = (kind: string, record: unknown): void => {
    lines.push(JSON.stringify({ kind, record }));
  };
  const run = await read.run(runId);
  if (!run.ok) return run;
  add("run", run.value);
  const work = await read.workItems(runId);
  if (!work.ok) return work;
  for (const item of work.value) add("work_item", item);
  const patches = await read.patches(runId);
  if (!patches.ok) return patches;
  for (const patch of patches.value) add("patch", patch);
  const revisions = await read.revisions(runId);
  if (!revisions.ok) return revisions;
  for (const revision of revisions.value) add("revision", revision);
  for (let after = 0; ; ) {
    const events = await read.events(runId, { after, limit: 1_000 });
    if (!events.ok) return events;
    for (const event of events.value) add("event", event);
    after = events.value.at(-1)?.seq ?? after;
    if (events.value.length < 1_000) break;
  }
  const seal = await sealRun(read, runId);
  if (!seal.ok) return seal;
  add("seal", seal.value);
  return ok(`${lines.join("\n")}\n`);
}

/** Archives what closed longer ago than this, the oldest first, at most `limit` runs. */
export async function archiveClosedRuns(
  kernel: Kernel,
  documents: Documents,
  options: { readonly closedForMs: number; readonly limit: number },
): Promise<Result<readonly ArchivedRun[]>> {
  const closedBefore = kernel.clock.now() - options.closedForMs;
  const runs = await kernel.read.runs({ closedBefore, limit: options.limit });
  if (!runs.ok) return runs;
  const archived: ArchivedRun[] = [];
  for (const run of runs.value) {
    const done = await archiveRun(kernel, documents, run.run_id as RunId);
    if (!done.ok) return done;
    archived.push(done.value);
  }
  return ok(archived);
}
