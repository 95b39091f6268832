import { ignoreUnhandled, type Postgres, postgresFailure, type Transaction } from "#core/database";
import { type Clock, err, type Failpoint, ok, type Result, type RunId } from "#core/values";
import type { ClaimWork, Command } from "../../commands.ts";
import type { KernelLimits } from "../../limits.ts";
import { needsOf } from "../../needs.ts";
import type { Lease } from "../../records.ts";
import { decide, type Rules } from "../../rules/rules.ts";
import type { WorkingSet, Writes } from "../../working-set.ts";
import type { CommitReport } from "../port.ts";
import { choosesRows, onlyVerdict, type Verdict } from "../verdict.ts";
import { ActiveRuns, type TransactionRuns } from "./active-runs.ts";
import { createChooser } from "./choose.ts";
import type { HowToChoose, Look } from "./choose-ready.ts";
import { createLoader } from "./load.ts";
import { newWork } from "./new-work.ts";
import type { ReadyPlace } from "./ready-batch.ts";
import { type CommittedStep, RunCache } from "./run-cache.ts";
import { storeTime } from "./store-time.ts";
import { createWriter } from "./write.ts";

/** How many expired leases a transaction with a claim also returns to the queue, and the pause between two such sweeps. */
const sweptPerClaim = 100;
const sweepPauseMs = 100;
/** Leases that expired longer ago were swept before. An explicit sweep looks at all leases. */
const lookBackMs = 60_000;
const fromTheBeginning = Number.MAX_SAFE_INTEGER;

export interface TransactOptions {
  readonly postgres: Postgres;
  readonly tenant: string;
  /** For pauses; never for the time of leases. */
  readonly clock: Clock;
  /** Replaces the database's time for leases in tests. */
  readonly testTime: Clock | undefined;
  readonly rules: Rules;
  readonly limits: KernelLimits;
  readonly failpoint: Failpoint;
}

type Leased = Result<readonly Lease[]>;

/** The first claim of a batch, and the queries that were sent for it in advance. */
interface LookAhead {
  readonly command: ClaimWork;
  readonly expired: Promise<boolean>;
  readonly look: Look;
}

/** The rows loaded for a command, and the positions of its ready work. */
interface ChosenWork {
  readonly set: WorkingSet;
  readonly places?: ReadonlyMap<number, ReadyPlace>;
}

/** What follows the commit of a transaction: the topics to notify, and the steps to put into the cache. */
interface Left {
  readonly capabilities: Set<string>;
  readonly apps: Set<string>;
  readonly runs: Set<RunId>;
  readonly steps: CommittedStep[];
}

/**
 * One transaction for a batch: first the commands, then expired leases, then the claims, so that a claim finds what the same
 * batch made ready. A claim that got nothing because other transactions had locked the runs continues in its own transaction,
 * which may wait for the locks. Rolls back and rethrows what the database throws.
 */
export function createTransact(options: TransactOptions): (commands: readonly Command[]) => Promise<CommitReport> {
  const { postgres, tenant, clock, rules, limits, failpoint } = options;
  const time = storeTime(options.testTime);
  const cache = new RunCache();
  const activeRuns = new ActiveRuns();
  const loader = createLoader(tenant, { limits, time, cache });
  const chooser = createChooser(tenant, loader, limits, time);
  const write = createWriter(tenant);
  let sweptAt = Number.NEGATIVE_INFINITY;

  const decideAll = (set: WorkingSet, commands: readonly Command[]): Verdict[] => {
    failpoint("kernel.loaded");
    return commands.map((command): Verdict => {
      const verdict = decide(rules, set, command, limits);
      if (!verdict.ok) return verdict;
      set.apply(verdict.value);
      return ok(verdict.value.outcome);
    });
  };

  const writeAll = (transaction: Transaction, set: WorkingSet, left: Left, places = noPlaces): void => {
    for (const capability of readyCapabilities(set)) left.capabilities.add(capability);
    const writes = set.takeWrites();
    failpoint("kernel.decided");
    write(transaction, writes, { now: set.now, places });
    left.steps.push(committedStep(set, writes));
    for (const changed of [...writes.newRuns, ...writes.changedRuns, ...writes.countedRuns]) {
      left.runs.add(changed.run_id);
      if (changed.turn_due_at !== null && changed.turn_due_at <= set.now) left.apps.add(changed.app_id);
    }
  };

  const step = (
    transaction: Transaction,
    { set, places }: ChosenWork,
    said: readonly Command[],
    left: Left,
  ): Verdict[] => {
    const verdicts = decideAll(set, said);
    writeAll(transaction, set, left, places);
    return verdicts;
  };

  const sweep = async (transaction: Transaction, limit: number, left: Left, lookBack: number): Promise<Verdict> => {
    const set = await chooser.expired(transaction, limit, lookBack);
    return set ? onlyVerdict(step(transaction, { set }, [{ kind: "sweep", limit }], left)) : ok({ expired: 0 });
  };

  const claim = async (
    transaction: Transaction,
    command: ClaimWork,
    left: Left,
    how: HowToChoose,
  ): Promise<{ readonly leased: Leased; readonly busy: boolean }> => {
    const { set, busy, places } = await chooser.ready.choose(transaction, command, how);
    const [leased] = step(transaction, { set, places }, [command], left) as [Leased];
    return { leased, busy };
  };

  /** Sends a claim's first queries together with those of the commands: mostly the result is still valid when the claim runs. */
  const lookAhead = (
    transaction: Transaction,
    commands: readonly Command[],
    ownRuns: TransactionRuns,
  ): LookAhead | undefined => {
    const command = commands.find((one): one is ClaimWork => one.kind === "claim_work" && one.limit > 0);
    if (!command) return undefined;
    const isTime = clock.monotonic() - sweptAt >= sweepPauseMs;
    if (isTime) sweptAt = clock.monotonic();
    const expired = isTime ? ignoreUnhandled(chooser.hasExpired(transaction, sweptPerClaim, lookBackMs)) : no;
    return { command, expired, look: chooser.ready.look(transaction, command, ownRuns) };
  };

  const run = async (
    transaction: Transaction,
    commands: readonly Command[],
    left: Left,
    ownRuns: TransactionRuns,
  ): Promise<{ readonly results: Verdict[]; readonly unfilled: ReadonlyMap<number, ClaimWork> }> => {
    const said = commands.filter((command) => !choosesRows(command));
    const needs = needsOf(said);
    for (const runId of needs.runs) ownRuns.runs.add(runId);
    const loading = said.length > 0 ? ignoreUnhandled(loader.load(transaction, needs)) : undefined;
    const ahead = lookAhead(transaction, commands, ownRuns); // after the locks of the commands, in their round trip
    const handed = new Map<Command, Leased>();
    let verdicts: Verdict[] = [];
    let isStale = false;
    if (loading) {
      const set = await loading;
      verdicts = decideAll(set, said);
      if (ahead && set.capabilities.size > 0) {
        const fresh = (await isIdle(ahead)) ? newWork(set, ahead.command) : undefined;
        isStale = fresh === undefined;
        if (fresh) {
          set.ready = fresh;
          handed.set(ahead.command, onlyVerdict(decideAll(set, [ahead.command])) as Leased);
        }
      }
      writeAll(transaction, set, left);
    }
    failpoint("kernel.said");
    if (ahead && (await ahead.expired)) {
      await sweep(transaction, sweptPerClaim, left, lookBackMs);
      isStale = true;
    }
    const results: Verdict[] = [];
    const unfilled = new Map<number, ClaimWork>();
    let answered = 0;
    for (const [index, command] of commands.entries())
      switch (command.kind) {
        case "claim_work": {
          const leasedBefore = handed.get(command);
          if (leasedBefore) {
            results.push(leasedBefore);
            break;
          }
          const look = command === ahead?.command && !isStale ? ahead.look : undefined;
          const { leased, busy } = await claim(transaction, command, left, { wait: false, look, ownRuns });
          // A claim that got items returns with them: their leases would run down while it waits for more.
          if (leased.ok && leased.value.length === 0 && busy) unfilled.set(index, command);
          results.push(leased);
          break;
        }
        case "claim_turn":
          results.push(
            onlyVerdict(step(transaction, { set: await chooser.due(transaction, command) }, [command], left)),
          );
          break;
        case "sweep":
          results.push(await sweep(transaction, command.limit, left, fromTheBeginning));
          isStale = true;
          break;
        default:
          results.push(onlyVerdict(verdicts.slice(answered, ++answered)));
      }
    failpoint("kernel.written");
    return { results, unfilled };
  };

  /**
   * Repeats a claim that got nothing because other transactions had locked the runs. Its failure is its own result: the rest of
   * the batch is committed and must be answered. A throw would repeat the batch, and its first leases would reach no worker and
   * block their items until they expire.
   */
  const fill = async (command: ClaimWork, left: Left): Promise<Leased> => {
    const own: Left = { ...left, steps: [] };
    const how = { wait: true, ownRuns: activeRuns.begin() };
    try {
      const { leased } = await postgres.transaction((transaction) => claim(transaction, command, own, how));
      for (const committed of own.steps) cache.keep(committed);
      return leased;
    } catch (thrown) {
      return err(postgresFailure(thrown));
    } finally {
      how.ownRuns.end();
    }
  };

  return async (commands) => {
    const left: Left = { capabilities: new Set(), apps: new Set(), runs: new Set(), steps: [] };
    failpoint("kernel.begin");
    const ownRuns = activeRuns.begin();
    const { results, unfilled } = await postgres
      .transaction(async (transaction) => {
        const report = await run(transaction, commands, left, ownRuns);
        failpoint("kernel.commit");
        return report;
      })
      .finally(ownRuns.end);
    failpoint("kernel.committed");
    for (const committed of left.steps) cache.keep(committed);
    for (const [index, command] of unfilled) results[index] = await fill(command, left);
    const { steps: _, ...wake } = left;
    return { results, wake };
  };
}

const noPlaces: ReadonlyMap<number, ReadyPlace> = new Map();
const no = Promise.resolve(false);

/** No item was ready before, and no expired lease returns one. */
async function isIdle({ expired, look }: LookAhead): Promise<boolean> {
  return !(await expired) && (await look.lanes).length === 0;
}

/** The capabilities of work that became ready and was not leased in the same transaction. */
function readyCapabilities(set: WorkingSet): ReadonlySet<string> {
  const ready = new Set<string>();
  for (const { item } of set.capabilities.size > 0 ? set.changes : [])
    if (set.work(item.run_id, item.work_id)?.ready) ready.add(item.capability);
  return ready;
}

function committedStep(set: WorkingSet, { work, events }: Writes): CommittedStep {
  const runs = new Map<RunId, { before: number; after: number }>();
  const seqsOf = (runId: RunId): { before: number; after: number } | undefined => {
    const run = set.run(runId);
    const known = runs.get(runId);
    if (known || !run) return known;
    const seqs = { before: run.last_seq, after: run.last_seq };
    runs.set(runId, seqs);
    return seqs;
  };
  for (const { run_id } of events) {
    const seqs = seqsOf(run_id);
    if (seqs) seqs.before -= 1; // each event advanced the counter by one
  }
  for (const { item } of work) seqsOf(item.run_id);
  return { runs, work };
}
