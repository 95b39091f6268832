import type { Sqlite } from "#core/database";
import type { RunId, WorkId } from "#core/values";
import type { KernelLimits } from "../../limits.ts";
import type { Needs } from "../../needs.ts";
import { isLastTurn } from "../../rules/fail-turn.ts";
import type { WorkingSet } from "../../working-set.ts";
import { toPatch, toRun, toWork } from "../rows.ts";
import type { LeasedRows } from "./leased-rows.ts";
import { rowsOf } from "./sql.ts";

export interface Loader {
  /** Loads the rows that the commands name into the working set. */
  load(set: WorkingSet, needs: Needs): void;
  run(set: WorkingSet, runId: RunId): void;
  /** Loads all dependents of these items, to any depth. */
  dependents(set: WorkingSet, roots: Iterable<{ readonly run_id: RunId; readonly work_id: WorkId }>): void;
  openWork(set: WorkingSet, runId: RunId): void;
}

export function createLoader(database: Sqlite, tenant: string, limits: KernelLimits, leased: LeasedRows): Loader {
  const loadRun = rowsOf(database, "load-run");
  const loadWork = rowsOf(database, "load-work");
  const loadByKey = rowsOf(database, "load-work-by-key");
  const loadPatch = rowsOf(database, "load-patch");
  const loadDependents = rowsOf(database, "load-dependents");
  const loadOpen = rowsOf(database, "load-open-work");

  const run = (set: WorkingSet, runId: RunId): void => {
    if (set.hasRun(runId)) return;
    const row = loadRun.get(tenant, runId);
    if (row) set.addRun(toRun(row));
  };

  const direct = (set: WorkingSet, runId: RunId, workId: WorkId): readonly WorkId[] => {
    const items = loadDependents.all(runId, workId, tenant).map(toWork);
    for (const item of items) set.addWork(item);
    set.addDependents(
      workId,
      items.map((item) => item.work_id),
    );
    return items.map((item) => item.work_id);
  };

  const dependents: Loader["dependents"] = (set, roots) => {
    const seen = new Set<WorkId>();
    for (const root of roots) {
      const waiting = [root.work_id];
      for (let workId = waiting.pop(); workId !== undefined; workId = waiting.pop()) {
        if (seen.has(workId)) continue;
        seen.add(workId);
        if ((set.work(root.run_id, workId)?.dependents ?? 0) > 0) waiting.push(...direct(set, root.run_id, workId));
      }
    }
  };

  const openWork: Loader["openWork"] = (set, runId) => {
    const items = loadOpen.all(runId, tenant).map(toWork);
    for (const item of items) set.addWork(item);
    set.addOpenWork(
      runId,
      items.map((item) => item.work_id),
    );
  };

  const work = (set: WorkingSet, runId: RunId, workId: WorkId): void => {
    if (set.hasWork(workId)) return;
    const known = leased.get(runId, workId);
    const row = known ? undefined : loadWork.get(runId, workId, tenant);
    if (known) set.addWork(known);
    else if (row) set.addWork(toWork(row));
  };

  return {
    run,
    dependents,
    openWork,
    load(set, needs) {
      for (const runId of needs.runs) run(set, runId);
      for (const [workId, runId] of needs.work) work(set, runId, workId);
      for (const [runId, ids] of needs.requested) for (const workId of ids) work(set, runId, workId);
      for (const { run_id, key } of needs.keys.values()) {
        const row = loadByKey.get(run_id, key, tenant);
        if (!row) continue;
        const item = toWork(row);
        set.addWork(item);
        set.addKey(run_id, key, item.work_id);
      }
      for (const [patchId, runId] of needs.patches) {
        const row = loadPatch.get(runId, patchId, tenant);
        if (row) set.addPatch(toPatch(row));
      }
      for (const workId of needs.completing) {
        const runId = needs.work.get(workId);
        if (runId !== undefined && (set.work(runId, workId)?.dependents ?? 0) > 0) direct(set, runId, workId);
      }
      for (const workId of needs.ending) {
        const runId = needs.work.get(workId);
        if (runId !== undefined) dependents(set, [{ run_id: runId, work_id: workId }]);
      }
      for (const runId of needs.closing) openWork(set, runId);
      for (const runId of needs.failing) {
        const found = set.run(runId);
        if (found && isLastTurn(found, limits)) openWork(set, runId);
      }
    },
  };
}
