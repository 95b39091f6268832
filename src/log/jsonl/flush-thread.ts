import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { flushThreadSource } from "./flush-source.ts";
import type { FlushOutcome, FlushRound } from "./session-files.ts";

/** What the thread answers. */
interface Answer extends Pick<FlushOutcome, "done" | "made"> {
  readonly failure?: { readonly message: string; readonly code?: string };
}

/**
 * A thread that writes session files. Under load that is a tenth of what the main thread has to do, and where sessions begin
 * and end by the hundred a third: most of it is making files and folders.
 */
export class FlushThread {
  #worker: Worker | undefined;
  #isReady = false;
  #isGone = false;

  /** Much is about to come. Until the thread has started, which takes some 30 ms, rounds are filed without it. */
  start(): void {
    if (this.#worker || this.#isGone) return;
    const gone = () => {
      this.#isGone = true;
      this.#isReady = false;
    };
    try {
      this.#worker = new Worker(flushThreadSource, { eval: true, env: {}, execArgv: [], name: "writ filing" });
    } catch {
      return gone(); // no more threads to be had: this one files as before
    }
    this.#worker.unref(); // whoever waits for a round keeps the process alive
    this.#worker.once("message", () => {
      this.#isReady = true;
    });
    this.#worker.once("error", gone).once("exit", gone);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** One round after the other. A thread that dies leaves what it did unknown: the round is told as failed and filed again. */
  async file({ targets, plan: { memories, ranges, offsets } }: FlushRound): Promise<FlushOutcome> {
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
      // As few objects as can be: each path of a thousand sessions would be handed over by itself.
      const paths = targets.map(({ folder = "", paths: files }) => `${folder}\0${files.join("\0")}`).join("\0");
      const lengths = Float64Array.from(targets.flatMap((target) => target.lengths));
      worker.postMessage({ paths, lengths, memories, ranges, offsets }, [
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
