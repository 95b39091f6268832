import type { Row, Transaction } from "#core/database";
import type { RunId } from "#core/values";
import type { ClaimWork } from "../../commands.ts";
import type { ReadyWork, RunRow } from "../../records.ts";
import { WorkingSet } from "../../working-set.ts";
import { toReadyWork, toRun } from "../rows.ts";
import { type ReadyBatch, type ReadyPlace, toReadyLot } from "./ready-batch.ts";
import { rowsFromJson } from "./rows-from-json.ts";
import type { Hand } from "./runs-in-hand.ts";
import { sql } from "./sql.ts";
import type { StoreTime } from "./store-time.ts";

/** What may be leased, its runs locked. `busy`: there is more, in runs that others held. */
export interface Choice {
  readonly set: WorkingSet;
  readonly busy: boolean;
  /** Where each item lies, by its number; it stays there as long as its run is locked. */
  readonly places: ReadonlyMap<number, ReadyPlace>;
}

/** Where there is ready work, looked for together with other questions. Only a hint: nothing of it is locked yet. */
export interface Look {
  readonly lanes: Promise<readonly Row[]>;
  readonly now: Promise<number>;
  /** Behind which runs it began, for each capability. */
  readonly after: readonly string[];
  /** How many it asked for. */
  readonly most: number;
}

export interface ChooseReady {
  look(transaction: Transaction, command: ClaimWork, hand: Hand): Look;
  /**
   * `wait` stands in line for one run that others hold. Only a transaction that holds no lock may: nobody then waits for
   * somebody who waits for them.
   */
  choose(transaction: Transaction, command: ClaimWork, how: HowToChoose): Promise<Choice>;
}

export interface HowToChoose {
  readonly wait: boolean;
  readonly look?: Look | undefined;
  readonly hand: Hand;
}

/** A run that has ready work of a capability. */
interface Lane {
  readonly capability: string;
  readonly run_id: RunId;
  readonly paused: boolean;
  /** How many of the numbers that stand in it were read. */
  read: number;
}

/**
 * How many runs share one claim; the next claim goes on with the next ones. A large one takes larger shares of fewer: each of its
 * runs is held until it is committed, and again until its items are, and whoever else wants one of them waits.
 */
const lanesOf = (limit: number): number => (limit > 32 ? 4 : 8);
/** So many are looked for: some of them a neighbour in this process may have. */
const candidatesOf = (limit: number, hand: Hand): number => lanesOf(limit) * (hand.isAlone() ? 1 : 2);
/** How many items whose time has come join the ready ones in one transaction. */
const promoted = 1_000;
const mostUrgent = -2_147_483_648;

const promoteDue = sql("promote-due-work");
const findLanes = sql("find-lanes");
const lockFree = sql("lock-free-runs");
const lockRuns = sql("lock-runs");
const readyInLanes = sql("ready-in-lanes");

export function createChooseReady(tenant: string, time: StoreTime): ChooseReady {
  // Where the last claim stopped, so that the next one goes on with the run after it. Kept by each process for itself:
  // it is about whose turn it is, and losing it costs nobody more than one round.
  const cursors = new Map<string, string>();

  const look: ChooseReady["look"] = (transaction, { capabilities, limit }, hand) => {
    const most = candidatesOf(limit, hand);
    const after = capabilities.map((capability) => cursors.get(capability) ?? "");
    transaction.tidy(promoteDue, [tenant, time.given(), promoted]);
    const lanes = transaction.rows(findLanes, [tenant, capabilities, after, mostUrgent, most]);
    return { lanes, now: time.read(transaction), after, most };
  };

  const choose: ChooseReady["choose"] = async (transaction, command, { wait, look: looked, hand }) => {
    const { capabilities, limit } = command;
    const chosen: ReadyWork[] = [];
    const places = new Map<number, ReadyPlace>();
    const runs = new Map<RunId, RunRow>();
    let busy = false;
    let now: Promise<number> | undefined;
    // It locks runs: whoever stands in line for one must hold nothing, and did this a moment ago.
    if (!wait && !looked) transaction.tidy(promoteDue, [tenant, time.given(), promoted]);

    const take = (lane: Lane, lot: ReadyBatch, room: number): void => {
      for (let index = 0, taken = 0; index < lot.length && taken < room; index++) {
        const row = lot.row(index);
        if (!row || places.has(row[0])) continue; // no item that is ready stands behind this number
        chosen.push(toReadyWork(lane, row));
        places.set(row[0], lot.place(index));
        taken += 1;
      }
    };

    /** Locks the lanes' runs and shares what is left of the batch between them, until it is full or they are empty. */
    const takeFrom = async (lanes: readonly Lane[], rank: number): Promise<void> => {
      const ids = [...new Set(lanes.map((lane) => lane.run_id))];
      for (const id of ids) hand.runs.add(id);
      const locking = transaction.rows(wait ? lockRuns : lockFree, [tenant, ids]);
      now ??= time.read(transaction); // behind the locks, and in their round trip
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
        const lots = (await reading).map(toReadyLot);
        const fuller: Lane[] = [];
        for (const [turn, lane] of open.entries()) {
          const lot = lots[turn];
          if (!lot || !isFree(runs.get(lane.run_id))) continue;
          const room = limit - chosen.length;
          take(lane, lot, room);
          if (lot.length > 0 && room > 0) cursors.set(lane.capability, lane.run_id);
          lane.read += lot.length;
          if (lot.length === wanted) fuller.push(lane);
        }
        open = fuller;
      }
    };

    const served = new Set<string>();
    let after = looked?.after ?? capabilities.map((capability) => cursors.get(capability) ?? "");
    let ahead = looked?.lanes;
    for (let [from, level] = [mostUrgent, mostUrgent]; chosen.length < limit; ) {
      const most = ahead && looked ? looked.most : wait ? 1 : candidatesOf(limit, hand);
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
      const { lanes, open, passed } = wait ? firstOf(unserved) : pick(unserved, lanesOf(limit), hand);
      for (const lane of lanes) served.add(nameOf(lane));
      if (passed) busy = true;
      if (open.length > 0) await takeFrom(open, rank);
      if (wait) break;
      after = capabilities.map(
        (capability, index) => lanes.findLast((lane) => lane.capability === capability)?.run_id ?? after[index] ?? "",
      );
      // A look that was cut short may have left runs behind.
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
  /** Those that were looked at, and of them those to take from. */
  readonly lanes: readonly Lane[];
  readonly open: readonly Lane[];
  /** A neighbour has some of them. */
  readonly passed: boolean;
}

/** So many lanes that nobody here is at, in their order. */
function pick(lanes: readonly Lane[], most: number, hand: Hand): Picked {
  const open: Lane[] = [];
  let passed = false;
  for (const [index, lane] of lanes.entries()) {
    if (open.length === most) return { lanes: lanes.slice(0, index), open, passed };
    if (lane.paused) continue;
    if (hand.isElsewhere(lane.run_id)) passed = true;
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
