import Database, { type Statement } from "better-sqlite3";
import { migrate, type Sqlite } from "#core/database";
import { domainError } from "#core/errors";
import { type Clock, err, type Result, type RunId } from "#core/values";
import { kernelRules } from "#runs";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { type Command } from "../../src/runs/kernel/commands.ts";
import { type KernelLimits } from "../../src/runs/kernel/limits.ts";
import { type KernelStore } from "../../src/runs/kernel/store/port.ts";
import { kernelMigrations } from "../../src/runs/kernel/store/sqlite/migrations.ts";
import { sqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import type { Chance } from "./chance.ts";
import { type Checker, createChecker } from "./checker.ts";
import type { Faults } from "./faults.ts";
import { watched } from "./oracle.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { epoch, type SimProcess } from "./process.ts";
import type { VirtualTime } from "./virtual-time.ts";

type Report = Awaited<ReturnType<KernelStore["commit"]>>;

/** The machine that all processes share: the database, its clock, and the ways in which both go wrong. */
export interface Machine {
  readonly checker: Checker;
  /** The store as one process sees it: messages to it are lost, late, doubled; answers too. */
  storeFor(process: SimProcess): KernelStore;
  jumpClock(ms: number): void;
  /** Everything in memory is gone. Whatever was acknowledged must be on disk. */
  losePower(): void;
  runIds(): readonly RunId[];
  openRuns(): number;
  database(): Sqlite;
}

export interface MachineOptions {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly faults: () => Faults;
  readonly limits: KernelLimits;
  readonly bug: PlantedBug | undefined;
  readonly crash: (process: SimProcess) => void;
  readonly fail: (message: string) => void;
}

/** Empty tables, made once: a seed starts from a copy of the image. */
const image: Buffer = (() => {
  const database = new Database(":memory:");
  const migrated = migrate(database, { kernel: kernelMigrations }, manualClock());
  if (!migrated.ok) throw new Error(migrated.error.message);
  return database.serialize();
})();

export function createMachine(options: MachineOptions): Machine {
  const { time, chance, faults, limits, bug, crash, fail } = options;
  let jumped = 0;
  let current: SimProcess | undefined;
  const clock: Clock = {
    now: () => epoch + time.now() + jumped,
    monotonic: () => time.now(),
    machine: () => ({ boot: "the one boot", ms: time.now() }),
    after: () => () => undefined,
  };
  const rules = watched(bug?.rules ? bug.rules(kernelRules) : kernelRules, fail);
  let database: Sqlite = new Database(image);
  let onDisk = image;
  let store = open();
  const checker = createChecker(() => database);

  function open(): KernelStore {
    return sqliteKernel(database, database, { clock, limits, rules, failpoint });
  }

  function failpoint(name: string): void {
    const now = faults();
    if (name === "kernel.begin" && chance.hit(now.busy))
      throw Object.assign(new Error("busy"), { code: "SQLITE_BUSY" });
    if (name === "kernel.written" && chance.hit(now.full))
      throw Object.assign(new Error("full"), { code: "SQLITE_FULL" });
    if (name === "kernel.commit" && chance.hit(now.crashBeforeCommit)) die("before the commit");
    if (name === "kernel.committed" && chance.hit(now.crashAfterCommit)) die("after the commit");
  }

  function die(when: string): never {
    if (current) crash(current);
    throw new Error(`killed ${when}`);
  }

  const runIds = (): readonly RunId[] => listRuns().all() as RunId[];
  const listRuns = prepared("SELECT run_id FROM run ORDER BY run_id");
  const countOpen = prepared("SELECT count(*) FROM run WHERE status = 'active'");

  /** A query on whatever database there is now. */
  function prepared(sql: string): () => Statement<[]> {
    let on: Sqlite | undefined;
    let statement: Statement<[]> | undefined;
    return () => {
      if (on !== database || !statement) statement = database.prepare<[]>(sql).pluck();
      on = database;
      return statement;
    };
  }

  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (thrown) {
      fail((thrown as Error).message);
    }
  };

  const execute = async (process: SimProcess, commands: readonly Command[]): Promise<Report> => {
    current = process;
    const report = await store.commit(commands);
    current = undefined;
    if (report.ok) {
      for (const [index, result] of report.value.results.entries())
        if (!result.ok && result.error.code === "INTERNAL") fail(`${commands[index]?.kind}: ${result.error.message}`);
    } else if (report.error.code === "INTERNAL") fail(report.error.message);
    attempt(() => checker.check(report.ok ? report.value.wake.runs : runIds()));
    if (bug?.earlyAcknowledgement && checker.commits % 3 === 0) onDisk = database.serialize();
    return report;
  };

  return {
    checker,
    runIds,
    database: () => database,
    openRuns: () => countOpen().get() as number,
    jumpClock(ms) {
      jumped += ms;
    },
    losePower() {
      if (bug?.earlyAcknowledgement) {
        database = new Database(onDisk);
        store = open();
      }
      attempt(() => checker.checkAcknowledged());
    },
    storeFor(process) {
      const commit = (commands: readonly Command[]): Promise<Report> =>
        new Promise((resolve) => {
          const now = faults();
          const giveUp = (): void => void process.after(250, () => resolve(unavailable()));
          if (chance.hit(now.duplicated)) time.at(time.now() + chance.int(400), () => void execute(process, commands));
          if (chance.hit(now.lostRequest)) return giveUp();
          const deliver = async (): Promise<void> => {
            const report = await execute(process, commands);
            if (chance.hit(faults().lostAnswer)) return giveUp();
            process.after(chance.int(faults().delayMs), () => {
              if (report.ok)
                for (const [index, result] of report.value.results.entries()) {
                  const command = commands[index];
                  if (result.ok && command) checker.acknowledged(command, result.value);
                }
              resolve(report);
            });
          };
          time.at(time.now() + chance.int(now.delayMs), () => void deliver());
        });
      return { commit, read: reader(), archive: store.archive, close: () => Promise.resolve() };
    },
  };

  /** Reads follow the database, also to a new one after a loss of power. */
  function reader(): KernelStore["read"] {
    return new Proxy({} as KernelStore["read"], { get: (_, name) => Reflect.get(store.read, name) });
  }
}

function unavailable(): Result<never> {
  return err(domainError("STORE_UNAVAILABLE", "no answer came", { details: { in_doubt: true } }));
}
