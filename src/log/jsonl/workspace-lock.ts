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

/** More processes than these compete for the last place. */
const placesInLine = 4;

/**
 * Who takes over sessions or finishes dead journals does it alone in the workspace. The lock falls with its holder, however
 * that one ends. Readers and those who only create sessions never come here.
 *
 *     asks ──► its turn in this process ──► nobody is in line ──► has it
 *                                       └─► behind the last in line ──► … ──► place 1 ──► has it
 *
 * Whoever gives it back and asks again at once would always be faster than those who look every few milliseconds: with four
 * processes one waited while the others had it 213 times.
 */
export class WorkspaceLock {
  readonly #root: string;
  readonly #folder: string;
  /** The lock, and behind it the places in line: locks of the same kind, whose files are made when somebody has to wait. */
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
        const wanted = held ? ahead : this.#endOfLine(); // somebody may have been faster
        if (wanted <= ahead) await sleep(clock, wanted + 1); // a look takes 0.2 ms: the further back, the rarer
        ahead = wanted;
      }
      const lock = held;
      held = undefined;
      return lock;
    } finally {
      held?.release();
    }
  }

  /** Behind the last one who waits; somebody has the lock, or was seen to. */
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
