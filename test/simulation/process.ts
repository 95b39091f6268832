import type { Clock } from "#core/values";
import type { VirtualTime } from "./virtual-time.ts";

/** A process of the simulation: it can be killed, paused like SIGSTOP does it, and its clock may be wrong. */
export interface SimProcess {
  readonly name: string;
  readonly clock: Clock;
  alive(): boolean;
  /** Does something in this process after `ms`: never once it is dead, later if it is paused. */
  after(ms: number, callback: () => void): () => void;
  kill(): void;
  /** Called once, when the process dies, however it dies. */
  onDeath(callback: () => void): void;
  pause(ms: number): void;
}

export function createProcess(name: string, time: VirtualTime, skewMs: number): SimProcess {
  let alive = true;
  let pausedUntil = 0;
  let died = (): void => undefined;
  const after = (ms: number, callback: () => void): (() => void) => {
    let cancel = (): void => undefined;
    const fire = (): void => {
      if (!alive) return;
      if (time.now() < pausedUntil) cancel = time.at(pausedUntil, fire);
      else callback();
    };
    cancel = time.at(time.now() + Math.max(0, ms), fire);
    return () => cancel();
  };
  return {
    name,
    alive: () => alive,
    after,
    kill() {
      if (!alive) return;
      alive = false;
      died();
    },
    onDeath(callback) {
      died = callback;
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, time.now() + ms);
    },
    clock: {
      now: () => epoch + time.now() + skewMs,
      monotonic: () => time.now(),
      machine: () => ({ boot: "the one boot", ms: time.now() }),
      after,
    },
  };
}

/** Where virtual time begins on the calendar. */
export const epoch: number = Date.UTC(2026, 10, 15);
