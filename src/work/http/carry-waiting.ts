import { type Clock, sleep } from "#core/values";
import type { Threads } from "../threads/threads.ts";

/** The interval between two looks for messages whose process has ended. */
const everyMs = 5_000;

/** Carries out accepted messages whose process has ended. */
export function carryWaiting(options: {
  readonly threads: Pick<Threads, "carryWaiting">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}): void {
  const { threads, clock, signal, onProblem } = options;
  void (async () => {
    do {
      const carried = await threads.carryWaiting(signal);
      if (!carried.ok) onProblem(`waiting messages could not be looked for: ${carried.error.message}`);
    } while (await sleep(clock, everyMs, signal));
  })();
}
