import type { Postgres } from "#core/database";
import { messageOf } from "#core/errors";
import type { Clock, Result } from "#core/values";
import { judgeStore } from "./judge-store.ts";
import { type RememberedPlace, readKept, type SeenCheckpoint, writeKept } from "./kept-checkpoint.ts";

/** What this machine keeps of a store outside of it. */
export interface MachineMemory {
  /** Refused: the store is behind. Its checkpoints are not kept then. */
  judge(postgres: Postgres | undefined): Promise<Result<void>>;
  /** Keeps what was just written, soon; the newest of a second together. */
  note(seen: SeenCheckpoint): void;
  /** Resolves once it is kept. */
  drained(): Promise<void>;
}

const gatherMs = 1_000;

export interface MemoryOptions extends RememberedPlace {
  readonly clock: Clock;
  /** Takes the store as it is, whatever was kept: a person agreed. */
  readonly accepting?: boolean;
  /** Gets, in one line, that nothing can be kept. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

export function machineMemory(options: MemoryOptions): MachineMemory {
  const { clock, accepting = false, onNotice } = options;
  let newest: SeenCheckpoint | undefined;
  let cancel: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isBehind = false;
  let isSaid = false;

  const write = async (): Promise<void> => {
    const seen = newest;
    newest = undefined;
    if (!seen || isBehind) return;
    try {
      const found = readKept(options);
      // Another process of this machine may have kept a newer one meanwhile.
      if (!accepting && found.is === "kept" && found.kept.in === seen.in && found.kept.at >= seen.at) return;
      await writeKept(options, seen);
    } catch (thrown) {
      if (!isSaid) onNotice?.(`this machine cannot keep the newest checkpoint of this store: ${messageOf(thrown)}`);
      isSaid = true;
    }
  };

  return {
    async judge(postgres) {
      if (accepting) return { ok: true, value: undefined };
      const judged = await judgeStore({ ...options, postgres });
      isBehind = !judged.ok;
      return judged;
    },
    note(seen) {
      newest = seen;
      cancel ??= clock.after(gatherMs, () => {
        cancel = undefined;
        writing = writing.then(write);
      });
    },
    drained() {
      cancel?.();
      cancel = undefined;
      writing = writing.then(write);
      return writing;
    },
  };
}
