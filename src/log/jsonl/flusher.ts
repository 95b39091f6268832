import { type Failpoint, noFailpoints } from "#core/values";
import { type Disk, realDisk } from "./disk.ts";
import { FlushThread } from "./flush-thread.ts";
import { type FlushOutcome, type FlushRound, flushHere } from "./session-files.ts";

/** Rounds of fewer lines are over before the thread has heard of them. */
const fewLines = 64;

/** Writes session files: a thread of its own does where there is much, this one otherwise. */
export class Flusher {
  readonly #disk: Disk;
  readonly #failpoint: Failpoint;
  readonly #thread: FlushThread | undefined;

  constructor(disk: Disk, failpoint: Failpoint) {
    this.#disk = disk;
    this.#failpoint = failpoint;
    // Another disk, or a place to fail at, is known to this thread only.
    this.#thread = disk === realDisk && failpoint === noFailpoints ? new FlushThread() : undefined;
  }

  /** Much is about to come. */
  expectMuch(): void {
    this.#thread?.start();
  }

  file(round: FlushRound): Promise<FlushOutcome> {
    const thread = (round.plan.offsets.at(-1) ?? 0) >= fewLines && this.#thread?.isReady ? this.#thread : undefined;
    return thread ? thread.file(round) : flushHere(round, this.#disk, this.#failpoint);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}
