import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { flushThreadSource } from "./flush-source.ts";
import type { FlushOutcome, FlushRound } from "./session-files.ts";

/** The message of the thread after a round. */
interface Answer extends Pick<FlushOutcome, "done" | "made"> {
  readonly failure?: { readonly message: string; readonly code?: string };
}

/**
 * A thread that writes session files. Under load that is a tenth of the main thread's work, and a third where sessions
 * begin and end by the hundred: most of it is creating files and folders.
 */
export class FlushThread {
  #worker: Worker | undefined;
  #isReady = false;
  #isGone = false;

  /** Starts the thread ahead of a large round. The start takes some 30 ms; until then rounds are flushed without it. */
  start(): void {
    if (this.#worker || this.#isGone) return;
    const gone = () => {
      this.#isGone = true;
      this.#isReady = false;
    };
    try {
      this.#worker = new Worker(flushThreadSource, { eval: true, env: {}, execArgv: [], name: "writ filing" });
    } catch {
      return gone(); // the thread could not be created: this thread flushes as before
    }
    this.#worker.unref(); // a pending round keeps the process alive, the idle thread does not
    this.#worker.once("message", () => {
      this.#isReady = true;
    });
    this.#worker.once("error", gone).once("exit", gone);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Runs one round at a time. After a thread died it is unknown what it wrote: the round fails and is flushed again.
   */
  async flush({ targets, plan: { memories, ranges, offsets } }: FlushRound): Promise<FlushOutcome> {
    const worker = this.#worker;
    if (!worker) throw new Error("the filing thread was not started");
    worker.ref();
    try {
      const answered = new Promise<Answer>((resolve, reject) => {
        const died = () => reject(new Error("the filing thread died"));
        worker.once("exit", died);
        worker.once("message", (answer: Answer) => {
          worker.off("exit", died);
          resolve(answer);
        });
      });
      // As few objects as possible: structured clone would copy each path of a thousand sessions by itself.
      const paths = targets.map(({ folder = "", paths: files }) => `${folder}\0${files.join("\0")}`).join("\0");
      const lengths = Float64Array.from(targets.flatMap((target) => target.lengths));
      const snapshots = targets.flatMap(({ snapshot: { folder, text } }) => [folder, text]);
      worker.postMessage({ paths, snapshots, lengths, memories, ranges, offsets }, [
        lengths.buffer,
        ranges.buffer as ArrayBuffer,
        offsets.buffer as ArrayBuffer,
      ]);
      const { done, made, failure } = await answered;
      return { done, made, ...(failure && { failure: Object.assign(new Error(failure.message), failure) }) };
    } catch (failure) {
      return { done: 0, made: [], failure };
    } finally {
      worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker || this.#isGone) return;
    const ended = once(worker, "exit");
    worker.ref();
    await worker.terminate();
    await ended;
  }
}
