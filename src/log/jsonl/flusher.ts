import { type Failpoint, noFailpoints } from "#core/values";
import { type Disk, realDisk } from "./disk.ts";
import { FlushThread } from "./flush-thread.ts";
import { type FlushOutcome, type FlushRound, flushHere } from "./session-files.ts";

/** A smaller round takes less time here than the message to the thread. */
const fewLines = 64;

/** Writes session files: in a thread for large rounds, on this thread otherwise. */
export class Flusher {
  readonly #disk: Disk;
  readonly #failpoint: Failpoint;
  readonly #thread: FlushThread | undefined;

  constructor(disk: Disk, failpoint: Failpoint) {
    this.#disk = disk;
    this.#failpoint = failpoint;
    // Another disk or a failpoint exists only on this thread.
    this.#thread = disk === realDisk && failpoint === noFailpoints ? new FlushThread() : undefined;
  }

  /** Announces large rounds. */
  expectMuch(): void {
    this.#thread?.start();
  }

  flush(round: FlushRound): Promise<FlushOutcome> {
    const thread = (round.plan.offsets.at(-1) ?? 0) >= fewLines && this.#thread?.isReady ? this.#thread : undefined;
    return thread ? thread.flush(round) : flushHere(round, this.#disk, this.#failpoint);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}
