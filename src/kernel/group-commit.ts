import { type Clock, type DomainError, domainError, err, messageOf, type Result } from "#base";
import type { Command, CommandKind, CommandOf, Outcomes } from "./commands.ts";
import type { KernelStore } from "./store/port.ts";
import type { WakeUp } from "./wake-up.ts";

export interface GroupCommit {
  /**
   * Answers once the command's transaction is durable, never before. A command that is given as a function is made when
   * its batch is: it can take into account what came in until then.
   */
  submit<K extends CommandKind>(command: CommandOf<K> | (() => CommandOf<K>)): Promise<Result<Outcomes[K]>>;
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

/**
 * Many callers' transitions in one transaction, with one sync: a single commit costs 0.2 ms here, a hundred in one
 * cost little more. A batch that the database refuses whole is repeated while it is busy; if one command of it breaks
 * a constraint, each is tried alone, so that nobody fails for a neighbour.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, wakeUp, clock, defer } = options;
  const maxBatch = options.maxBatch ?? 1_000;
  const busyRetries = options.busyRetries ?? 8;
  const spread = options.spread ?? (() => 1);
  const queue: Said[] = [];
  let running = false;
  let idle: (() => void)[] = [];

  const pump = async (): Promise<void> => {
    await commitBatch(queue.splice(0, maxBatch).map(made));
    if (queue.length > 0) return defer(() => void pump());
    running = false;
    const waiting = idle;
    idle = [];
    for (const resolve of waiting) resolve();
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
      if (report.error.code === "INTERNAL" && batch.length > 1) {
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
        if (running) return;
        running = true;
        defer(() => void pump());
      });
    },
    drain() {
      return running ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve();
    },
  };
}

function made({ command, answer }: Said): Waiting {
  return { command: typeof command === "function" ? command() : command, answer };
}

function lostAnswer(command: Command): DomainError {
  return domainError("INTERNAL", `the store gave no answer to ${command.kind}`);
}
