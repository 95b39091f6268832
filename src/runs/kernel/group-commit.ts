import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, type Result, type RunId } from "#core/values";
import type { Command, CommandKind, CommandOf, Outcomes } from "./commands.ts";
import { type IdleWorker, type Offer, PendingClaims } from "./pending-claims.ts";
import { runOf } from "./run-of.ts";
import type { KernelStore } from "./store/port.ts";
import type { WakeUp } from "./wake-up.ts";

export interface GroupCommit {
  /**
   * Answers once the command's transaction is durable, never before. A command that is given as a function is made when
   * its batch is: it can take into account what came in until then.
   */
  submit<K extends CommandKind>(command: CommandOf<K> | (() => CommandOf<K>)): Promise<Result<Outcomes[K]>>;
  /** A claim that rides in the next batch which asks for work of these capabilities, until it gets some or is withdrawn. */
  offer(hands: IdleWorker): Offer;
  /** Waits until everything submitted so far has been answered. */
  drain(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly store: KernelStore;
  readonly wakeUp: WakeUp;
  readonly clock: Clock;
  /** Calls back after what is running now, so that everybody who has something to say can join the batch. */
  readonly defer: (callback: () => void) => void;
  readonly maxBatch?: number;
  readonly busyRetries?: number;
  /** From 0 to below 1: spreads those who wait for the same lock. Handed in; without it everybody waits the full time. */
  readonly spread?: (() => number) | undefined;
}

interface Said {
  readonly command: Command | (() => Command);
  readonly answer: (result: Result<Outcomes[CommandKind]>) => void;
}

interface Waiting {
  readonly command: Command;
  readonly answer: (result: Result<Outcomes[CommandKind]>) => void;
}

/** Where several batches may be under way, each is small enough to leave something for the others. */
const sharedBatch = 256;

/**
 * Many callers' transitions in one transaction, with one sync: a single commit costs 0.2 ms here, a hundred in one
 * cost little more. A batch that the database refuses whole is repeated while it is busy; if one command of it breaks
 * a constraint or cannot be kept, each is tried alone, so that nobody fails for a neighbour.
 *
 * Where the store has several commits under way at once, the commands of one run still go one after another, in the order in
 * which they were said: a run is in one batch at a time.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, wakeUp, clock, defer } = options;
  const lanes = store.commitsAtOnce ?? 1;
  const maxBatch = Math.min(options.maxBatch ?? 1_000, lanes > 1 ? sharedBatch : Number.POSITIVE_INFINITY);
  const busyRetries = options.busyRetries ?? 8;
  const spread = options.spread ?? (() => 1);
  let queue: Said[] = [];
  let underWay = 0;
  let called = false;
  /** The runs of the batches that are under way. */
  const held = new Set<RunId>();
  let idle: (() => void)[] = [];
  const standing = new PendingClaims();

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
      const rides = standing.ridesWith(commands.map(({ command }) => command));
      // A claim is answered with leases.
      for (const { command, answer } of rides) commands.push({ command, answer: answer as Waiting["answer"] });
      void commitAlone(commands);
    }
    if (underWay > 0 || queue.length > 0) return;
    const waiting = idle;
    idle = [];
    for (const resolve of waiting) resolve();
  };

  /**
   * What may go next: the oldest, without what must wait for a run, and a share of the claims. In one transaction claims wait for
   * one another, and what they bring comes at once: from then on everything was in one batch, and half of the processors' time
   * went by unused.
   */
  const take = (): readonly Said[] => {
    if (lanes === 1) return queue.splice(0, maxBatch);
    const batch: Said[] = [];
    const left: Said[] = [];
    const passed = new Set<RunId>();
    let claims = Math.ceil(queue.filter(isClaim).length / (lanes - underWay));
    let room = maxBatch;
    for (const said of queue) {
      if (isClaim(said)) {
        (claims-- > 0 ? batch : left).push(said);
        continue;
      }
      const run = typeof said.command === "function" ? undefined : runOf(said.command);
      if (room > 0 && (run === undefined || !(held.has(run) || passed.has(run)))) {
        batch.push(said);
        room -= 1;
      } else {
        left.push(said);
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
    else if (underWay === 0) pump(); // tells those who wait that everything is answered
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
      if (batch.length > 1 && isOfOne(report.error)) {
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
        queue.push({ command, answer: resolve as Said["answer"] });
        if (underWay < lanes) call();
      });
    },
    offer: (hands) => standing.add(hands),
    drain() {
      return underWay > 0 || queue.length > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve();
    },
  };
}

function made({ command, answer }: Said): Waiting {
  return { command: typeof command === "function" ? command() : command, answer };
}

/** Claims alone are made with their batch. */
function isClaim({ command }: Said): boolean {
  return typeof command === "function" || command.kind === "claim_work";
}

/** A broken constraint, or something that cannot be kept: one command did it, and the others would have passed. */
function isOfOne({ code }: DomainError): boolean {
  return code === "INTERNAL" || code === "MALFORMED_INPUT";
}

function lostAnswer(command: Command): DomainError {
  return domainError("INTERNAL", `the store gave no answer to ${command.kind}`);
}
