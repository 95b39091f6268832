import type { Row, Transaction } from "#core/database";
import type { RunId } from "#core/values";
import type { ClaimWork } from "../../commands.ts";
import type { ReadyWork, RunRow } from "../../records.ts";
import { WorkingSet } from "../../working-set.ts";
import { toReadyWork, toRun } from "../rows.ts";
import type { TransactionRuns } from "./active-runs.ts";
import { type ReadyBatch, type ReadyPlace, toReadyBatch } from "./ready-batch.ts";
import { rowsFromJson } from "./rows-from-json.ts";
import { sql } from "./sql.ts";
import type { StoreTime } from "./store-time.ts";

/** Items that may be leased; their runs are locked. `busy`: there are more, in runs that other transactions have locked. */
export interface Choice {
  readonly set: WorkingSet;
  readonly busy: boolean;
  /** The position of each item by its number, valid while its run is locked. */
  readonly places: ReadonlyMap<number, ReadyPlace>;
}

/** Runs with ready work, read in one round trip with other queries. Only a hint: none of them is locked yet. */
export interface Look {
  readonly lanes: Promise<readonly Row[]>;
  readonly now: Promise<number>;
  /** The run after which the search began, for each capability. */
  readonly after: readonly string[];
  /** How many runs the query was limited to. */
  readonly most: number;
}

export interface ChooseReady {
  look(transaction: Transaction, command: ClaimWork, ownRuns: TransactionRuns): Look;
  /**
   * `wait` blocks until one run that another transaction has locked is free. Only a transaction without locks may do so, which
   * excludes deadlocks.
   */
  choose(transaction: Transaction, command: ClaimWork, how: HowToChoose): Promise<Choice>;
}

export interface HowToChoose {
  readonly wait: boolean;
  readonly look?: Look | undefined;
  readonly ownRuns: TransactionRuns;
}

/** A run that has ready work of a capability. */
interface Lane {
  readonly capability: string;
  readonly run_id: RunId;
  readonly paused: boolean;
  /** How many of its numbers were read. */
  read: number;
}

/**
 * How many runs one claim takes items from; the next claim continues with the following runs. A large claim takes more items of
 * fewer runs: each run stays locked until the claim commits, and again when its items end, and other transactions wait for it.
 */
const lanesOf = (limit: number): number => (limit > 32 ? 4 : 8);
/** How many runs to search for: another transaction of this process may have locked some of them. */
const candidatesOf = (limit: number, ownRuns: TransactionRuns): number => lanesOf(limit) * (ownRuns.isAlone() ? 1 : 2);
/** How many due items become ready in one transaction. */
const promoted = 1_000;
const mostUrgent = -2_147_483_648;

const promoteDue = sql("promote-due-work");
const findLanes = sql("find-lanes");
const lockFree = sql("lock-free-runs");
const lockRuns = sql("lock-runs");
const readyInLanes = sql("ready-in-lanes");

export function createChooseReady(tenant: string, time: StoreTime): ChooseReady {
  // The last run of the previous claim; the next claim starts after it. Kept in memory by each process: it only affects
  // fairness, and a restart costs a run at most one round.
  const cursors = new Map<string, string>();

  const look: ChooseReady["look"] = (transaction, { capabilities, limit }, ownRuns) => {
    const most = candidatesOf(limit, ownRuns);
    const after = capabilities.map((capability) => cursors.get(capability) ?? "");
    transaction.tidy(promoteDue, [tenant, time.given(), promoted]);
    const lanes = transaction.rows(findLanes, [tenant, capabilities, after, mostUrgent, most]);
    return { lanes, now: time.read(transaction), after, most };
  };

  const choose: ChooseReady["choose"] = async (transaction, command, { wait, look: looked, ownRuns }) => {
    const { capabilities, limit } = command;
    const chosen: ReadyWork[] = [];
    const places = new Map<number, ReadyPlace>();
    const runs = new Map<RunId, RunRow>();
    let busy = false;
    let now: Promise<number> | undefined;
    // This statement locks runs. A waiting transaction must hold no lock, and its first attempt has promoted already.
    if (!wait && !looked) transaction.tidy(promoteDue, [tenant, time.given(), promoted]);

    const take = (lane: Lane, batch: ReadyBatch, room: number): void => {
      for (let index = 0, taken = 0; index < batch.length && taken < room; index++) {
        const row = batch.row(index);
        if (!row || places.has(row[0])) continue; // the item of this number is no longer ready, or already chosen
        chosen.push(toReadyWork(lane, row));
        places.set(row[0], batch.place(index));
        taken += 1;
      }
    };

    /** Locks the lanes' runs and divides the rest of the claim between them, until it is full or they are empty. */
    const takeFrom = async (lanes: readonly Lane[], rank: number): Promise<void> => {
      const ids = [...new Set(lanes.map((lane) => lane.run_id))];
      for (const id of ids) ownRuns.runs.add(id);
      const locking = transaction.rows(wait ? lockRuns : lockFree, [tenant, ids]);
      now ??= time.read(transaction); // after the locks, in their round trip
      for (let open = lanes; open.length > 0 && chosen.length < limit; ) {
        const wanted = Math.ceil((limit - chosen.length) / open.length);
        const reading = transaction.rows(readyInLanes, [
          tenant,
          open.map((lane) => lane.capability),
          open.map((lane) => lane.run_id),
          rank,
          open.map(() => wanted),
          open.map((lane) => lane.read),
        ]);
        for (const row of rowsFromJson(await locking)) runs.set(row[0] as RunId, toRun(row));
        if (open.some((lane) => !isFree(runs.get(lane.run_id)))) busy = true;
        const batches = (await reading).map(toReadyBatch);
        const fuller: Lane[] = [];
        for (const [turn, lane] of open.entries()) {
          const batch = batches[turn];
          if (!batch || !isFree(runs.get(lane.run_id))) continue;
          const room = limit - chosen.length;
          take(lane, batch, room);
          if (batch.length > 0 && room > 0) cursors.set(lane.capability, lane.run_id);
          lane.read += batch.length;
          if (batch.length === wanted) fuller.push(lane);
        }
        open = fuller;
      }
    };

    const served = new Set<string>();
    let after = looked?.after ?? capabilities.map((capability) => cursors.get(capability) ?? "");
    let ahead = looked?.lanes;
    for (let [from, level] = [mostUrgent, mostUrgent]; chosen.length < limit; ) {
      const most = ahead && looked ? looked.most : wait ? 1 : candidatesOf(limit, ownRuns);
      const found = await (ahead ?? transaction.rows(findLanes, [tenant, capabilities, after, from, most]));
      ahead = undefined;
      const [first] = found;
      if (!first) break;
      const rank = first[1] as number;
      if (rank !== level) served.clear();
      level = rank;
      const unserved = found
        .filter((row) => row[1] === rank)
        .map(([capability, , run_id, paused]) => ({ capability, run_id, paused, read: 0 }) as Lane)
        .filter((lane) => !served.has(nameOf(lane)));
      const { lanes, open, passed } = wait ? firstOf(unserved) : pick(unserved, lanesOf(limit), ownRuns);
      for (const lane of lanes) served.add(nameOf(lane));
      if (passed) busy = true;
      if (open.length > 0) await takeFrom(open, rank);
      if (wait) break;
      after = capabilities.map(
        (capability, index) => lanes.findLast((lane) => lane.capability === capability)?.run_id ?? after[index] ?? "",
      );
      // A query that reached its limit may have missed runs.
      const all = lanes.length === unserved.length && found.every((row) => (row[4] as number) < most);
      if (all && found.every((row) => row[1] === rank)) break;
      if (all || lanes.length === 0) from = rank + 1;
    }
    const set = new WorkingSet(await (now ?? looked?.now ?? time.read(transaction)));
    for (const run of runs.values()) set.addRun(run);
    set.ready = chosen;
    return { set, busy: busy && chosen.length < limit, places };
  };
  return { look, choose };
}

interface Picked {
  /** `lanes`: the runs that were considered; `open`: those of them to take items from. */
  readonly lanes: readonly Lane[];
  readonly open: readonly Lane[];
  /** Another transaction of this process uses some of them. */
  readonly passed: boolean;
}

/** The first `most` lanes that no other transaction of this process uses. */
function pick(lanes: readonly Lane[], most: number, ownRuns: TransactionRuns): Picked {
  const open: Lane[] = [];
  let passed = false;
  for (const [index, lane] of lanes.entries()) {
    if (open.length === most) return { lanes: lanes.slice(0, index), open, passed };
    if (lane.paused) continue;
    if (ownRuns.isUsedElsewhere(lane.run_id)) passed = true;
    else open.push(lane);
  }
  return { lanes, open, passed };
}

function firstOf(unserved: readonly Lane[]): Picked {
  const lanes = unserved.slice(0, 1);
  return { lanes, open: lanes.filter((lane) => !lane.paused), passed: false };
}

function isFree(run: RunRow | undefined): boolean {
  return run !== undefined && !run.paused && run.status === "active";
}

function nameOf({ capability, run_id }: Lane): string {
  return `${capability}\n${run_id}`;
}
