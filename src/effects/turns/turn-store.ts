import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdLiveness, isAlive, type LivenessLock } from "#core/database";
import { domainError } from "#core/errors";
import { removeWholeTree } from "#core/machine";
import { type Clock, err, type IdSource, ok, type Result, sleep } from "#core/values";
import type { RedoRecord } from "./commit/redo-record.ts";

/** Written before a turn runs, so that after a crash the next process that opens the workspace can record how the turn ended. */
export interface TurnMarker {
  readonly turn_id: string;
  readonly turn_number: number;
  readonly session_id: string;
  /** The lock of the process that runs it: alive as long as that process is. */
  readonly process: string;
  /** The folder of its sandbox, to be removed with it. */
  readonly slot: string | null;
  /** The session of the layer that it commits into; absent where that is the workspace itself. */
  readonly layer?: string;
}

/** Files of turns on the `hot` plane: running turns, commits under way, quarantine. No turn can see them. */
export interface TurnStore {
  readonly folder: string;
  readonly quarantine: string;
  begin(marker: Omit<TurnMarker, "process">): string;
  end(turnFolder: string): void;
  /** Removes turns that dead processes had begun and not yet announced. */
  forgetTheDead(): void;
  /** Serialises commits over all processes of the workspace. */
  withCommitLock<T>(work: () => Promise<Result<T>>): Promise<Result<T>>;
  close(): void;
}

const lockPollMs = 3;
const lockWaitMs = 60_000;

export function openTurnStore(options: {
  readonly root: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}): TurnStore {
  const folder = join(options.root, "planes", "hot", "turns");
  const quarantine = join(folder, "quarantine");
  for (const each of ["running", "processes", "starting", "quarantine", "layers"])
    mkdirSync(join(folder, each), { recursive: true, mode: 0o700 });
  const process = options.ids.sortable("PRC");
  const processFile = join(folder, "processes", process);
  const alive = holdLiveness(processFile);
  // Other processes find this process by the folder, so it is made after the lock.
  const starting = join(folder, "starting", process);
  mkdirSync(starting, { mode: 0o700 });
  let tail: Promise<unknown> = Promise.resolve();
  const lockFile = join(folder, "commit.lock");

  const takeLock = async (): Promise<Result<LivenessLock>> => {
    const began = options.clock.monotonic();
    for (;;) {
      const lock = holdLiveness(lockFile);
      if (lock) return ok(lock);
      if (options.clock.monotonic() - began > lockWaitMs)
        return err(
          domainError("WRITE_CONFLICT", "another process has been committing a turn for a minute; try again", {
            retryable: true,
          }),
        );
      await sleep(options.clock, lockPollMs);
    }
  };

  return {
    folder,
    quarantine,
    begin(marker) {
      const turnFolder = join(folder, "running", marker.turn_id);
      const begun = join(starting, marker.turn_id);
      mkdirSync(begun, { mode: 0o700 });
      writeFileSync(join(begun, "turn.json"), JSON.stringify({ ...marker, process } satisfies TurnMarker));
      // A concurrent recovery finds the folder with its marker or not at all.
      renameSync(begun, turnFolder);
      return turnFolder;
    },
    end(turnFolder) {
      rmSync(join(turnFolder, "redo.json"), { force: true }); // first: without it the remaining files have no effect
      removeWholeTree(turnFolder);
    },
    forgetTheDead() {
      for (const each of readdirSync(join(folder, "starting"))) {
        const file = join(folder, "processes", each);
        if (existsSync(file) && isAlive(file)) continue;
        removeWholeTree(join(folder, "starting", each));
        rmSync(file, { force: true });
      }
    },
    withCommitLock<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
      const mine = tail.then(async () => {
        const lock = await takeLock();
        if (!lock.ok) return lock;
        try {
          return await work();
        } finally {
          lock.value.release();
        }
      });
      tail = mine.catch(() => undefined); // the caller of the failed commit reports it; the next commit still gets its turn
      return mine;
    },
    close() {
      removeWholeTree(starting);
      alive?.release();
      rmSync(processFile, { force: true });
    },
  };
}

export function readMarker(turnFolder: string): TurnMarker | undefined {
  return readJson<TurnMarker>(join(turnFolder, "turn.json"));
}

export function readRedo(turnFolder: string): RedoRecord | undefined {
  return readJson<RedoRecord>(join(turnFolder, "redo.json"));
}

/** Reads a file that Writ wrote in one piece; one that is absent or torn was never acknowledged. */
function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}
