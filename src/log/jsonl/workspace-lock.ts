import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { holdLiveness, isAlive, type LivenessLock } from "#core/database";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, type Result, sleep } from "#core/values";
import { lockHolder } from "./lock-holder.ts";
import { Mutex } from "./mutex.ts";
import { journalFolder } from "./paths.ts";

export interface LockOptions {
  readonly clock: Clock;
  readonly waitMs: number;
}

/** The length of the queue; further processes compete for the last place. */
const placesInLine = 4;

/**
 * Exclusive access to the workspace for adopting sessions and finishing dead journals. The operating system drops the
 * lock when its holder ends, however it ends. Reading and creating sessions do not take it.
 *
 *     hold() ──► mutex of this process ──► queue is empty ──► lock
 *                                      └─► last place ──► … ──► place 1 ──► lock
 *
 * The queue makes it fair: a process that releases the lock and takes it again at once would always be faster than
 * those that poll every few milliseconds. With four processes one waited while the others held it 213 times.
 */
export class WorkspaceLock {
  readonly #root: string;
  readonly #folder: string;
  /**
   * The lock, and after it the places of the queue: locks of the same kind, whose files are created when a process has
   * to wait.
   */
  readonly #line: readonly string[];
  readonly #options: LockOptions;
  readonly #mutex: Mutex;

  constructor(root: string, options: LockOptions) {
    this.#root = root;
    this.#folder = journalFolder(root);
    const places = Array.from({ length: placesInLine }, (_, index) => `workspace-line-${index + 1}.lock`);
    this.#line = ["workspace.lock", ...places].map((name) => join(this.#folder, name));
    this.#options = options;
    this.#mutex = new Mutex(options.clock);
  }

  async hold<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const { clock, waitMs } = this.#options;
    const deadline = clock.monotonic() + waitMs;
    if (!(await this.#mutex.acquire(waitMs))) return err(this.#busy());
    try {
      const lock = await this.#take(deadline);
      if (!lock.ok) return lock;
      try {
        return await work();
      } finally {
        lock.value.release();
      }
    } finally {
      this.#mutex.release();
    }
  }

  async #take(deadline: number): Promise<Result<LivenessLock>> {
    try {
      const lock = await this.#moveUp(deadline);
      return lock ? ok(lock) : err(this.#busy());
    } catch (thrown) {
      const message = `the log of ${this.#root} cannot be written: ${messageOf(thrown)}`;
      return err(domainError("LEDGER_UNAVAILABLE", message, { cause: thrown }));
    }
  }

  async #moveUp(deadline: number): Promise<LivenessLock | undefined> {
    const { clock } = this.#options;
    let held: LivenessLock | undefined;
    let ahead = this.#lastInLine() < 0 ? 0 : this.#endOfLine();
    try {
      for (;;) {
        const next = this.#try(this.#line[ahead] as string);
        if (next) {
          held?.release();
          held = next;
          if (ahead === 0) break;
          ahead -= 1;
          continue;
        }
        if (clock.monotonic() >= deadline) return undefined;
        const wanted = held ? ahead : this.#endOfLine(); // another process may have taken the place first
        if (wanted <= ahead) await sleep(clock, wanted + 1); // a check takes 0.2 ms: the further back, the rarer
        ahead = wanted;
      }
      const lock = held;
      held = undefined;
      return lock;
    } finally {
      held?.release();
    }
  }

  /** The place after the last waiting process. Called while the lock is held, or was a moment ago. */
  #endOfLine(): number {
    return Math.min(Math.max(this.#lastInLine(), 0) + 1, placesInLine);
  }

  #lastInLine(): number {
    return this.#line.findLastIndex((file, place) => place > 0 && existsSync(file) && isAlive(file));
  }

  #try(file: string): LivenessLock | undefined {
    mkdirSync(this.#folder, { recursive: true });
    return holdLiveness(file);
  }

  #busy(): DomainError {
    const [lock] = this.#line as [string];
    const pid = lockHolder(lock);
    const who = pid === undefined ? "another process" : pid === process.pid ? "this process" : `process ${pid}`;
    return domainError(
      "LEDGER_UNAVAILABLE",
      `${who} is busy with the log of ${this.#root}, and it was not free for ${this.#options.waitMs} ms; try again`,
      { details: { lock, ...(pid === undefined ? {} : { pid }) } },
    );
  }
}
