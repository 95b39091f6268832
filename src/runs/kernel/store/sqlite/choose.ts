import type { Sqlite } from "#core/database";
import type { RunId } from "#core/values";
import type { ClaimTurn, ClaimWork } from "../../commands.ts";
import type { KernelLimits } from "../../limits.ts";
import type { ReadyWork } from "../../records.ts";
import { isLastTurn } from "../../rules/fail-turn.ts";
import type { WorkingSet } from "../../working-set.ts";
import { toReadyWork, toRun, toWork } from "../rows.ts";
import type { Loader } from "./load.ts";
import { rowsOf, writeOf } from "./sql.ts";

/** Chooses the rows of a claim or a sweep, and loads the rows that change with them. */
export interface Chooser {
  ready(set: WorkingSet, command: ClaimWork): void;
  expired(set: WorkingSet, limit: number): void;
  due(set: WorkingSet, command: ClaimTurn): void;
}

interface Lane {
  readonly capability: string;
  readonly run_id: RunId;
  taken: number;
  empty: boolean;
}

/**
 * How many runs one claim takes items from; the next claim continues with the following runs. With all of 100 runs in every
 * claim a drain spent more time on iterating over runs than on the items.
 */
const mostLanes = 16;

/** How many due items become ready in one transaction. */
const promoted = 1_000;

export function createChooser(database: Sqlite, tenant: string, loader: Loader, limits: KernelLimits): Chooser {
  const firstRank = rowsOf(database, "first-rank");
  const nextLane = rowsOf(database, "next-lane");
  const readyInLane = rowsOf(database, "ready-in-lane");
  const anyExpired = rowsOf(database, "any-expired-work");
  const expiredWork = rowsOf(database, "expired-work");
  const dueRuns = rowsOf(database, "due-runs");
  const anyDue = rowsOf(database, "any-due-work");
  const promoteDue = writeOf(database, "promote-due-work");
  // The last run of the previous claim; the next claim starts after it. Kept in memory by each process: it only affects
  // fairness, and a restart costs a run at most one round.
  const cursors = new Map<string, string>();

  const nextRank = (capabilities: readonly string[], from: number): number | undefined => {
    let best: number | undefined;
    for (const capability of capabilities) {
      const rank = firstRank.get(tenant, capability, from)?.[0] as number | undefined;
      if (rank !== undefined && (best === undefined || rank < best)) best = rank;
    }
    return best;
  };

  /** The runs that have ready work of this rank, starting after the last run of the previous claim. */
  const lanesOf = (
    set: WorkingSet,
    capability: string,
    rank: number,
    options: { readonly most: number; readonly served: ReadonlySet<string> },
  ): Lane[] => {
    const lanes: Lane[] = [];
    const start = cursors.get(capability) ?? "";
    for (const [from, to] of [
      [start, undefined],
      ["", start],
    ] as const) {
      if (to === "") break;
      for (let after = from; lanes.length < options.most; ) {
        const runId = nextLane.get(tenant, capability, rank, after)?.[0] as RunId | undefined;
        if (runId === undefined || (to !== undefined && runId > to)) break;
        after = runId;
        if (options.served.has(`${capability}\n${runId}`)) continue;
        loader.run(set, runId);
        if (!set.run(runId)?.paused) lanes.push({ capability, run_id: runId, taken: 0, empty: false });
      }
    }
    return lanes;
  };

  /** Divides the rest of the claim between these runs repeatedly, until it is full or they are empty. */
  const takeFrom = (lanes: readonly Lane[], rank: number, limit: number, chosen: ReadyWork[]): void => {
    for (let open = lanes; open.length > 0 && chosen.length < limit; open = open.filter((lane) => !lane.empty)) {
      const left = limit - chosen.length;
      const share = Math.floor(left / open.length);
      const more = left % open.length; // the first runs get one more, and the next claim starts after them
      for (const [index, lane] of open.entries()) {
        const wanted = share + (index < more ? 1 : 0);
        if (wanted === 0) break;
        const rows = readyInLane.all(tenant, lane.capability, rank, lane.run_id, wanted, lane.taken);
        for (const row of rows) chosen.push(toReadyWork(lane, row));
        lane.taken += rows.length;
        lane.empty = rows.length < wanted;
        cursors.set(lane.capability, lane.run_id);
      }
      const last = open[more - 1];
      if (last) cursors.set(last.capability, last.run_id);
    }
  };

  return {
    ready(set, command) {
      if (anyDue.get(tenant, set.now)) promoteDue.run(tenant, set.now, promoted);
      const chosen: ReadyWork[] = [];
      for (
        let rank = nextRank(command.capabilities, Number.MIN_SAFE_INTEGER);
        rank !== undefined && chosen.length < command.limit;
        rank = nextRank(command.capabilities, rank + 1)
      ) {
        const level = rank;
        const served = new Set<string>();
        for (;;) {
          const most = Math.min(mostLanes, command.limit - chosen.length);
          const lanes = command.capabilities.flatMap((capability) => lanesOf(set, capability, level, { most, served }));
          if (lanes.length === 0) break; // every run of this rank was served; continue with the next rank
          takeFrom(lanes, level, command.limit, chosen);
          for (const lane of lanes) served.add(`${lane.capability}\n${lane.run_id}`);
          if (chosen.length >= command.limit) break;
        }
      }
      set.ready = chosen;
    },
    expired(set, limit) {
      set.expired = [];
      if (!anyExpired.get(tenant, set.now)) return;
      const items = expiredWork.all(tenant, set.now, limit).map(toWork);
      for (const item of items) {
        loader.run(set, item.run_id);
        set.addWork(item);
      }
      loader.dependents(
        set,
        items.filter((item) => item.retry_count >= item.max_retries),
      );
      set.expired = items.map((item) => set.work(item.run_id, item.work_id) ?? item);
    },
    due(set, command) {
      const rows = command.app_ids.flatMap((appId) => dueRuns.all(tenant, appId, set.now, command.limit));
      const runs = rows.map(toRun).sort((a, b) => (a.turn_due_at ?? 0) - (b.turn_due_at ?? 0));
      for (const run of runs) {
        set.addRun(run);
        if (run.turn_owner !== null && isLastTurn(run, limits)) loader.openWork(set, run.run_id);
      }
      set.due = runs.slice(0, command.limit).map((run) => set.run(run.run_id) ?? run);
    },
  };
}
