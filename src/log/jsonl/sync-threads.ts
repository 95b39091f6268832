import { Worker } from "node:worker_threads";
import { type Disk, realDisk } from "./disk.ts";

/** Text, because a thread cannot be started from a TypeScript file on Node 20. */
const source = `
"use strict";
const fs = require("node:fs");
const { parentPort } = require("node:worker_threads");
function syncFolder(path) {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
parentPort.on("message", ({ files, folders }) => {
  try {
    for (const fd of files) fs.fdatasyncSync(fd);
    for (const path of folders) syncFolder(path);
    parentPort.postMessage({});
  } catch (thrown) {
    parentPort.postMessage({ failure: { message: thrown.message, code: thrown.code, syscall: thrown.syscall } });
  }
});
`;

/** As many as Node's own pool has: syncs that run at once share a commit of the file system. */
const threads = 4;
/** Below that the threads' start costs more than they save. */
const worthIt = 200;

interface Answer {
  readonly failure?: { readonly message: string };
}

/**
 * Syncs many files and folders. Through Node's pool each costs 0.3 ms of processor time, ten times what the sync itself
 * takes; a thread of its own takes hundreds at once. Another disk than the real one exists only on this thread.
 */
export class SyncThreads {
  readonly #disk: Disk;
  readonly #workers: Worker[] = [];

  /** `expected`: how many are about to be synced. */
  constructor(disk: Disk, expected: number) {
    this.#disk = disk;
    if (disk !== realDisk || expected < worthIt) return;
    try {
      for (let each = 0; each < threads; each++)
        this.#workers.push(new Worker(source, { eval: true, env: {}, execArgv: [], name: "writ syncing" }));
    } catch {
      // No more threads can be created: those that there are do it, or Node's own.
    }
  }

  /** Ends when all of them have ended. Throws what one of them failed with. */
  async sync(files: readonly number[], folders: readonly string[]): Promise<void> {
    const every = this.#workers.length;
    const share = <T>(all: readonly T[], which: number) => all.filter((_, at) => at % every === which);
    const ends = await Promise.allSettled(
      every === 0
        ? [...files.map((fd) => this.#disk.sync(fd)), ...folders.map((path) => this.#disk.syncFolder(path))]
        : this.#workers.map((worker, which) =>
            ask(worker, { files: share(files, which), folders: share(folders, which) }),
          ),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function ask(
  worker: Worker,
  work: { readonly files: readonly number[]; readonly folders: readonly string[] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (thrown: unknown) => reject(thrown);
    worker.once("error", failed);
    worker.once("message", ({ failure }: Answer) => {
      worker.off("error", failed);
      if (failure) reject(Object.assign(new Error(failure.message), failure));
      else resolve();
    });
    worker.postMessage(work);
  });
}
