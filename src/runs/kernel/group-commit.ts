import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, type Result, type RunId } from "#core/values";
import type { Command, CommandKind, CommandOf, Outcomes } from "./commands.ts";
import { type ClaimOffer, type IdleWorker, PendingClaims } from "./pending-claims.ts";
import { runOf } from "./run-of.ts";
import type { KernelStore } from "./store/port.ts";
import type { WakeUp } from "./wake-up.ts";

export interface GroupCommit {
  /**
   * Resolves once the command's transaction is durable, never before. A command given as a function is built together with
   * its batch, so it takes into account what arrived until then.
   */
  submit<K extends CommandKind>(command: CommandOf<K> | (() => CommandOf<K>)): Promise<Result<Outcomes[K]>>;
  /** Adds a claim to each batch that requests work of these capabilities, until the claim gets work or is withdrawn. */
  offer(worker: IdleWorker): ClaimOffer;
  /** Waits until everything submitted so far has been answered. */
  drain(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly store: KernelStore;
  readonly wakeUp: WakeUp;
  readonly clock: Clock;
  /** Runs the callback after the current tick, so that all callers of this tick join the batch. */
  readonly defer: (callback: () => void) => void;
  readonly maxBatch?: number;
  readonly busyRetries?: number;
  /** From 0 to below 1: jitter for callers that wait for the same lock. Without it each waits the full time. */
  readonly spread?: (() => number) | undefined;
}

interface Submission {
  readonly command: Command | (() => Command);
  readonly answer: (result: Result<Outcomes[CommandKind]>) => void;
}

interface Waiting {
  readonly command: Command;
  readonly answer: (result: Result<Outcomes[CommandKind]>) => void;
}

/** The batch size where several batches run at once: small enough that one batch does not take all commands. */
const sharedBatch = 256;

/**
 * Commits the commands of many callers in one transaction with one sync: a single commit costs 0.2 ms here, a hundred in
 * one cost little more. While the database is busy the whole batch is retried. If one command breaks a constraint or cannot
 * be stored, each command is committed alone, so that only that command fails.
 *
 * Where the store runs several commits at once, the commands of one run are still applied in the order of submission: a run
 * is in one batch at a time.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, wakeUp, clock, defer } = options;
  const lanes = store.commitsAtOnce ?? 1;
  const maxBatch = Math.min(options.maxBatch ?? 1_000, lanes > 1 ? sharedBatch : Number.POSITIVE_INFINITY);
  const busyRetries = options.busyRetries ?? 8;
  const spread = options.spread ?? (() => 1);
  let queue: Submission[] = [];
  let underWay = 0;
  let called = false;
  /** The runs of the batches that are being committed. */
  const held = new Set<RunId>();
  let idle: (() => void)[] = [];
  const pending = new PendingClaims();

  const call = (): void => {
    if (called) return;
    called = true;
    defer(pump);
  };

  const pump = (): void => {
    called = false;
    while (underWay < lanes) {
      const batch = take();
      if (batch.length === 0) break;
      underWay += 1;
      const commands = batch.map(made);
      const claims = pending.claimsFor(commands.map(({ command }) => command));
      // A claim is answered with leases.
      for (const { command, answer } of claims) commands.push({ command, answer: answer as Waiting["answer"] });
      void commitAlone(commands);
    }
    if (underWay > 0 || queue.length > 0) return;
    const waiting = idle;
    idle = [];
    for (const resolve of waiting) resolve();
  };

  /**
   * The next batch: the oldest commands whose run is in no other batch, and this batch's share of the claims. With all claims in
   * one transaction they wait for one another and their results arrive together; every later command then landed in one batch,
   * and half of the processor time was idle.
   */
  const take = (): readonly Submission[] => {
    if (lanes === 1) return queue.splice(0, maxBatch);
    const batch: Submission[] = [];
    const left: Submission[] = [];
    const passed = new Set<RunId>();
    let claims = Math.ceil(queue.filter(isClaim).length / (lanes - underWay));
    let room = maxBatch;
    for (const submission of queue) {
      if (isClaim(submission)) {
        (claims-- > 0 ? batch : left).push(submission);
        continue;
      }
      const run = typeof submission.command === "function" ? undefined : runOf(submission.command);
      if (room > 0 && (run === undefined || !(held.has(run) || passed.has(run)))) {
        batch.push(submission);
        room -= 1;
      } else {
        left.push(submission);
        if (run !== undefined) passed.add(run);
      }
    }
    queue = left;
    return batch;
  };

  const commitAlone = async (batch: readonly Waiting[]): Promise<void> => {
    const runs = new Set<RunId>();
    if (lanes > 1)
      for (const { command } of batch) {
        const run = runOf(command);
        if (run !== undefined) runs.add(run);
      }
    for (const run of runs) held.add(run);
    await commitBatch(batch);
    for (const run of runs) held.delete(run);
    underWay -= 1;
    if (queue.length > 0) call();
    else if (underWay === 0) pump(); // resolves the waiting drain() calls
  };

  const commitBatch = async (batch: readonly Waiting[]): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const report = await attemptCommit(batch);
      if (report.ok) {
        wakeUp.notify(report.value.wake);
        for (const [index, waiting] of batch.entries())
          waiting.answer(report.value.results[index] ?? err(lostAnswer(waiting.command)));
        return;
      }
      if (report.error.details["busy"] === true && attempt < busyRetries) {
        const longest = Math.min(200, 5 * 2 ** attempt);
        const ms = Math.ceil(longest * (0.5 + 0.5 * spread()));
        await new Promise<void>((resolve) => clock.after(ms, resolve));
        continue;
      }
      if (batch.length > 1 && isOneCommandsFault(report.error)) {
        for (const waiting of batch) await commitBatch([waiting]);
        return;
      }
      for (const waiting of batch) waiting.answer(report);
      return;
    }
  };

  const attemptCommit = async (batch: readonly Waiting[]): ReturnType<KernelStore["commit"]> => {
    try {
      return await store.commit(batch.map((waiting) => waiting.command));
    } catch (thrown) {
      return err(domainError("INTERNAL", `the kernel store broke: ${messageOf(thrown)}`, { cause: thrown }));
    }
  };

  return {
    submit<K extends CommandKind>(command: CommandOf<K> | (() => CommandOf<K>)): Promise<Result<Outcomes[K]>> {
      return new Promise((resolve) => {
        // The store answers each command with the outcome of its kind.
        queue.push({ command, answer: resolve as Submission["answer"] });
        if (underWay < lanes) call();
      });
    },
    offer: (worker) => pending.add(worker),
    drain() {
      return underWay > 0 || queue.length > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve();
    },
  };
}

function made({ command, answer }: Submission): Waiting {
  return { command: typeof command === "function" ? command() : command, answer };
}

/** Only claims are given as functions. */
function isClaim({ command }: Submission): boolean {
  return typeof command === "function" || command.kind === "claim_work";
}

/** A broken constraint or an unstorable value: one command caused it, and the others would pass alone. */
function isOneCommandsFault({ code }: DomainError): boolean {
  return code === "INTERNAL" || code === "MALFORMED_INPUT";
}

function lostAnswer(command: Command): DomainError {
  return domainError("INTERNAL", `the store gave no answer to ${command.kind}`);
}
