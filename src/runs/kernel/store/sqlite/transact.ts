import type { Sqlite } from "#core/database";
import { type Clock, type Failpoint, ok, type RunId } from "#core/values";
import type { Command } from "../../commands.ts";
import type { KernelLimits } from "../../limits.ts";
import { needsOf } from "../../needs.ts";
import { decide, type Rules } from "../../rules/rules.ts";
import type { WorkChange } from "../../transition.ts";
import { WorkingSet } from "../../working-set.ts";
import type { CommitReport } from "../port.ts";
import { choosesRows, onlyVerdict, type Verdict } from "../verdict.ts";
import { createChooser } from "./choose.ts";
import { createLeasedRows } from "./leased-rows.ts";
import { createLoader } from "./load.ts";
import type { ClockStep } from "./say-clock-step.ts";
import { createSharedTime } from "./shared-time.ts";
import { createWriter } from "./write.ts";

/** How many expired leases a transaction with a claim also returns to the queue. */
const sweptPerClaim = 100;

export interface TransactOptions {
  readonly database: Sqlite;
  readonly tenant: string;
  readonly clock: Clock;
  readonly rules: Rules;
  readonly limits: KernelLimits;
  readonly failpoint: Failpoint;
  /** Called after the commit of the transaction that noticed it. */
  readonly onClockStep?: ((step: ClockStep) => void) | undefined;
}

/**
 * One transaction for a batch: first the commands, then expired leases, then the claims, so that a claim finds what the same
 * batch made ready. Each step loads its rows, decides, and writes. Rolls back and rethrows what SQLite throws.
 */
export function createTransact(options: TransactOptions): (commands: readonly Command[]) => CommitReport {
  const { database, tenant, clock, rules, limits, failpoint } = options;
  const leased = createLeasedRows(database);
  const loader = createLoader(database, tenant, limits, leased);
  const chooser = createChooser(database, tenant, loader, limits);
  const write = createWriter(database, tenant);
  const time = createSharedTime(database, clock);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");

  const run = (commands: readonly Command[], changes: WorkChange[]): CommitReport => {
    leased.refresh();
    const now = time.now(() => leased.forget()); // the one clock of leases, read once the write lock is held
    const wake = { capabilities: new Set<string>(), apps: new Set<string>(), runs: new Set<RunId>() };

    const set = new WorkingSet(now); // one for all steps: each step sees the rows and changes of those before it

    const step = (said: readonly Command[], choose: () => void): Verdict[] => {
      choose();
      failpoint("kernel.loaded");
      const verdicts: Verdict[] = [];
      for (const command of said) {
        const verdict = decide(rules, set, command, limits);
        if (verdict.ok) set.apply(verdict.value);
        verdicts.push(verdict.ok ? ok(verdict.value.outcome) : verdict);
      }
      const writes = set.takeStep();
      failpoint("kernel.decided");
      write.step(writes, now);
      for (const change of writes.work) changes.push(change);
      return verdicts;
    };

    /** Runs are not written with each step: a drain changes them twice in a transaction, by completions and by a claim. */
    const writeRuns = (): void => {
      const runs = set.takeRuns();
      write.runs(runs);
      for (const changed of [...runs.newRuns, ...runs.changedRuns, ...runs.countedRuns]) {
        wake.runs.add(changed.run_id);
        if (changed.turn_due_at !== null && changed.turn_due_at <= now) wake.apps.add(changed.app_id);
      }
    };

    const said = commands.filter((command) => !choosesRows(command));
    const verdicts = said.length > 0 ? step(said, () => loader.load(set, needsOf(said))) : [];
    failpoint("kernel.said");
    if (commands.some((command) => command.kind === "claim_work"))
      step([{ kind: "sweep", limit: sweptPerClaim }], () => chooser.expired(set, sweptPerClaim));
    const saidFirst = verdicts.values();
    const results = commands.map((command): Verdict => {
      switch (command.kind) {
        case "claim_work":
          return onlyVerdict(step([command], () => chooser.ready(set, command)));
        case "claim_turn":
          writeRuns(); // the query for due runs reads the table
          return onlyVerdict(step([command], () => chooser.due(set, command)));
        case "sweep":
          return onlyVerdict(step([command], () => chooser.expired(set, command.limit)));
        default:
          return onlyVerdict([saidFirst.next().value]);
      }
    });
    writeRuns();
    for (const capability of set.capabilities) wake.capabilities.add(capability);
    failpoint("kernel.written");
    return { results, wake };
  };

  return (commands) => {
    failpoint("kernel.begin");
    begin.run();
    try {
      const changes: WorkChange[] = [];
      const report = run(commands, changes);
      failpoint("kernel.commit");
      commit.run();
      leased.keep(changes);
      const step = time.committed();
      if (step) options.onClockStep?.(step);
      failpoint("kernel.committed");
      return report;
    } catch (thrown) {
      leased.forget();
      if (database.inTransaction) rollback.run();
      throw thrown;
    }
  };
}
