import { ignoreUnhandled, type Row, type Transaction } from "#core/database";
import type { RunId, WorkId } from "#core/values";
import type { KernelLimits } from "../../limits.ts";
import type { Needs } from "../../needs.ts";
import { isLastTurn } from "../../rules/fail-turn.ts";
import { WorkingSet } from "../../working-set.ts";
import { toPatch, toRun, toWork } from "../rows.ts";
import { texts, values } from "./array-text.ts";
import { rowsFromJson } from "./rows-from-json.ts";
import type { RunCache } from "./run-cache.ts";
import { sql } from "./sql.ts";
import type { StoreTime } from "./store-time.ts";

export interface Loader {
  /** Locks the runs that the commands name and loads their rows into a working set, mostly in one round trip. */
  load(transaction: Transaction, needs: Needs): Promise<WorkingSet>;
  /** Loads all dependents of these items, to any depth. */
  dependents(transaction: Transaction, set: WorkingSet, roots: readonly Named[]): Promise<void>;
  openWork(transaction: Transaction, set: WorkingSet, runs: readonly RunId[]): Promise<void>;
}

/** The ids of the work requested in one run. */
interface RequestedRun {
  readonly runId: RunId;
  readonly ids: readonly WorkId[];
  readonly lowest: WorkId;
}

interface Named {
  readonly run_id: RunId;
  readonly work_id: WorkId;
}

const lockRuns = sql("lock-runs");
const loadWork = sql("load-work");
const loadFrom = sql("load-work-from");
const loadByKey = sql("load-work-by-key");
const loadPatches = sql("load-patches");
const loadDependents = sql("load-dependents");
const loadOpen = sql("load-open-work");
const none: readonly never[] = [];

export interface LoaderOptions {
  readonly limits: KernelLimits;
  readonly time: StoreTime;
  readonly cache: RunCache;
}

export function createLoader(tenant: string, { limits, time, cache }: LoaderOptions): Loader {
  const loadItems = (transaction: Transaction, items: readonly (readonly [WorkId, RunId])[]): Promise<readonly Row[]> =>
    transaction.rows(loadWork, [tenant, texts(items, ([, run]) => run), texts(items, ([work]) => work)]);

  /**
   * Ids grow with time, so there is mostly no row at or above the lowest requested id: one range query instead of one per id. If
   * the range has more rows than requested ids, there are concurrent requests, and each id is queried by itself.
   */
  const loadRequested = async (transaction: Transaction, runs: readonly RequestedRun[]): Promise<readonly Row[]> => {
    const found = rowsFromJson(
      await transaction.rows(loadFrom, [
        tenant,
        texts(runs, ({ runId }) => runId),
        texts(runs, ({ lowest }) => lowest),
        values(runs, ({ ids }) => ids.length + 1),
      ]),
    );
    if (found.length === 0) return found;
    const crowded = runs.filter(({ runId, ids }) => found.filter((row) => row[2] === runId).length > ids.length);
    const named = crowded.flatMap(({ runId, ids }) => ids.map((workId) => [workId, runId] as const));
    return named.length > 0 ? [...found, ...(await loadItems(transaction, named))] : found;
  };

  /** Loads and returns the direct dependents of these items. */
  const direct = async (
    transaction: Transaction,
    set: WorkingSet,
    roots: readonly Named[],
  ): Promise<readonly Named[]> => {
    const rows = await transaction.rows(loadDependents, [
      tenant,
      roots.map((root) => root.run_id),
      roots.map((root) => root.work_id),
    ]);
    const waiting = new Map<WorkId, WorkId[]>(roots.map((root) => [root.work_id, []]));
    const items = rows.map((row) => {
      const item = toWork(row);
      set.addWork(item);
      waiting.get(row[15] as WorkId)?.push(item.work_id);
      return item;
    });
    for (const [workId, dependents] of waiting) set.addDependents(workId, dependents);
    return items;
  };

  const withDependents = (set: WorkingSet, named: readonly Named[]): readonly Named[] =>
    named.filter(({ run_id, work_id }) => (set.work(run_id, work_id)?.dependents ?? 0) > 0);

  const dependents: Loader["dependents"] = async (transaction, set, roots) => {
    const seen = new Set<WorkId>();
    for (let level = withDependents(set, roots); level.length > 0; ) {
      for (const { work_id } of level) seen.add(work_id);
      const next = await direct(transaction, set, level);
      level = withDependents(
        set,
        next.filter(({ work_id }) => !seen.has(work_id)),
      );
    }
  };

  const openWork: Loader["openWork"] = async (transaction, set, runs) => {
    if (runs.length === 0) return;
    const items = (await transaction.rows(loadOpen, [tenant, runs])).map(toWork);
    for (const item of items) set.addWork(item);
    for (const runId of runs)
      set.addOpenWork(
        runId,
        items.filter((item) => item.run_id === runId).map((item) => item.work_id),
      );
  };

  return {
    dependents,
    openWork,
    async load(transaction, needs) {
      const keys = [...needs.keys.values()];
      // Sent together. The locks come first, so each later statement reads the state under the locks.
      const locked = transaction.rows(lockRuns, [tenant, [...needs.runs]]);
      const wanted = [...needs.work];
      // A cached item is only read again if another process changed its run meanwhile; the row of the lock shows that.
      const cached = wanted.filter(([workId, runId]) => cache.has(runId, workId));
      const unknown = cached.length === 0 ? wanted : wanted.filter(([workId, runId]) => !cache.has(runId, workId));
      const work = unknown.length > 0 ? loadItems(transaction, unknown) : none;
      const requested = requestedRuns(needs);
      const repeated = requested.length > 0 ? ignoreUnhandled(loadRequested(transaction, requested)) : none;
      const keyed =
        keys.length > 0
          ? transaction.rows(loadByKey, [tenant, keys.map(({ run_id }) => run_id), keys.map(({ key }) => key)])
          : none;
      const patches =
        needs.patches.size > 0
          ? transaction.rows(loadPatches, [tenant, [...needs.patches.values()], [...needs.patches.keys()]])
          : none;
      const now = time.read(transaction);
      const runs = await locked;
      const set = new WorkingSet(await now);
      for (const row of rowsFromJson(runs)) set.addRun(toRun(row));
      const changed: (readonly [WorkId, RunId])[] = [];
      for (const [workId, runId] of cached) {
        const item = cache.get(set.run(runId), workId);
        if (item) set.addWork(item);
        else changed.push([workId, runId]);
      }
      for (const row of await work) set.addWork(toWork(row));
      for (const row of await repeated) set.addWork(toWork(row));
      if (changed.length > 0) for (const row of await loadItems(transaction, changed)) set.addWork(toWork(row));
      for (const row of await keyed) {
        const item = toWork(row);
        set.addWork(item);
        set.addKey(item.run_id, row[15] as string, item.work_id);
      }
      for (const row of await patches) set.addPatch(toPatch(row));
      const named = (ids: Iterable<WorkId>): readonly Named[] =>
        [...ids].flatMap((work_id) => {
          const run_id = needs.work.get(work_id);
          return run_id === undefined ? [] : [{ run_id, work_id }];
        });
      const completing = withDependents(set, named(needs.completing));
      if (completing.length > 0) await direct(transaction, set, completing);
      await dependents(transaction, set, named(needs.ending));
      const failing = [...needs.failing].filter((runId) => {
        const run = set.run(runId);
        return run && isLastTurn(run, limits);
      });
      await openWork(transaction, set, [...needs.closing, ...failing]);
      return set;
    },
  };
}

/** The database compares ids by bytes; ids outside of ASCII would compare differently here, so each is queried by itself. */
const plain = /^[\x20-\x7e]+$/;

function requestedRuns({ requested }: Needs): readonly RequestedRun[] {
  return [...requested].map(([runId, ids]) => ({
    runId,
    ids,
    lowest: ids.every((id) => plain.test(id))
      ? ids.reduce((lowest, id) => (id < lowest ? id : lowest))
      : ("" as WorkId),
  }));
}
