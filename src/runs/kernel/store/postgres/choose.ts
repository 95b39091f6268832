import type { Transaction } from "#core/database";
import type { ClaimTurn } from "../../commands.ts";
import type { KernelLimits } from "../../limits.ts";
import { isLastTurn } from "../../rules/fail-turn.ts";
import { WorkingSet } from "../../working-set.ts";
import { toRun, toWork } from "../rows.ts";
import { type ChooseReady, createChooseReady } from "./choose-ready.ts";
import type { Loader } from "./load.ts";
import { rowsFromJson } from "./rows-from-json.ts";
import { sql } from "./sql.ts";
import type { StoreTime } from "./store-time.ts";

/** Chooses the rows of a claim or a sweep, locks their runs, and loads the rows that change with them. */
export interface Chooser {
  readonly ready: ChooseReady;
  /** Whether leases expired within the last `lookBackMs`, in runs that no other transaction has locked. */
  hasExpired(transaction: Transaction, limit: number, lookBackMs: number): Promise<boolean>;
  /** Those leases; undefined when there are none. */
  expired(transaction: Transaction, limit: number, lookBackMs: number): Promise<WorkingSet | undefined>;
  due(transaction: Transaction, command: ClaimTurn): Promise<WorkingSet>;
}

const lockExpired = sql("lock-expired");
const expiredWork = sql("expired-work");
const forgetLeases = sql("forget-leases");
const lockDue = sql("lock-due-runs");

export function createChooser(tenant: string, loader: Loader, limits: KernelLimits, time: StoreTime): Chooser {
  return {
    ready: createChooseReady(tenant, time),
    async hasExpired(transaction, limit, lookBackMs) {
      transaction.tidy(forgetLeases, [tenant, time.given(), limit, lookBackMs]);
      return (await transaction.rows(lockExpired, [tenant, time.given(), limit, lookBackMs])).length > 0;
    },
    async expired(transaction, limit, lookBackMs) {
      transaction.tidy(forgetLeases, [tenant, time.given(), limit, lookBackMs]);
      const rows = rowsFromJson(await transaction.rows(lockExpired, [tenant, time.given(), limit, lookBackMs]));
      if (rows.length === 0) return undefined;
      const reading = time.read(transaction);
      const set = new WorkingSet(await reading);
      for (const row of rows) set.addRun(toRun(row));
      const runs = rows.map((row) => row[0]);
      const items = (await transaction.rows(expiredWork, [tenant, set.now, limit, runs, lookBackMs])).map(toWork);
      for (const item of items) set.addWork(item);
      const spent = items.filter((item) => item.retry_count >= item.max_retries);
      await loader.dependents(transaction, set, spent);
      set.expired = items;
      return set;
    },
    async due(transaction, command) {
      const asked = command.app_ids.map((app) => transaction.rows(lockDue, [tenant, app, time.given(), command.limit]));
      const now = time.read(transaction);
      const rows = rowsFromJson((await Promise.all(asked)).flat());
      const runs = rows.map(toRun).sort((a, b) => (a.turn_due_at ?? 0) - (b.turn_due_at ?? 0));
      const set = new WorkingSet(await now);
      for (const run of runs) set.addRun(run);
      const ending = runs.filter((run) => run.turn_owner !== null && isLastTurn(run, limits));
      await loader.openWork(
        transaction,
        set,
        ending.map((run) => run.run_id),
      );
      set.due = runs.slice(0, command.limit).map((run) => set.run(run.run_id) ?? run);
      return set;
    },
  };
}
