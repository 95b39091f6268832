import type { Clock } from "#core/values";
import type { WakeUps } from "./working-set.ts";

/** What a loop may wait for: ready work of a capability, a due turn of an app, any new event of a run. */
export type Topic = `work:${string}` | `turn:${string}` | `run:${string}`;

/**
 * Notifies waiting loops that there may be something to do. A notification is a hint and may be lost, so a loop also polls.
 * Call `listen` before the query, so that a change between the two ends the next `wait`.
 */
export interface WakeUp {
  notify(wake: WakeUps): void;
  listen(topics: readonly Topic[]): Listener;
}

export interface Listener {
  /** Waits for a notification since `listen` or the last `wait`, for `ms` at most, or for the signal. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends the current `wait` without a notification. */
  ring(): void;
  close(): void;
}

export function createWakeUp(clock: Clock): WakeUp {
  const waiting = new Map<Topic, Set<() => void>>();
  const ring = (topic: Topic): void => {
    for (const wake of waiting.get(topic) ?? []) wake();
  };
  return {
    notify({ capabilities, apps, runs }) {
      if (waiting.size === 0) return;
      for (const capability of capabilities) ring(`work:${capability}`);
      for (const app of apps) ring(`turn:${app}`);
      for (const run of runs) ring(`run:${run}`);
    },
    listen(topics) {
      let rung = false;
      let wakeWaiter: (() => void) | undefined;
      const wake = (): void => {
        rung = true;
        wakeWaiter?.();
      };
      for (const topic of topics) {
        const listeners = waiting.get(topic) ?? new Set();
        listeners.add(wake);
        waiting.set(topic, listeners);
      }
      return {
        wait(ms, signal) {
          if (rung || signal?.aborted) {
            rung = false;
            return Promise.resolve();
          }
          return new Promise((resolve) => {
            const finish = (): void => {
              cancel();
              signal?.removeEventListener("abort", finish);
              wakeWaiter = undefined;
              rung = false;
              resolve();
            };
            const cancel = clock.after(ms, finish);
            signal?.addEventListener("abort", finish, { once: true });
            wakeWaiter = finish;
          });
        },
        ring: wake,
        close() {
          for (const topic of topics) {
            const listeners = waiting.get(topic);
            listeners?.delete(wake);
            if (listeners?.size === 0) waiting.delete(topic);
          }
        },
      };
    },
  };
}
