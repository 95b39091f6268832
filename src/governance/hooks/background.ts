/** Programs that were started and are not waited for. None of them outlives the workspace that it was started in. */
export interface Background {
  start(run: (signal: AbortSignal) => Promise<unknown>): void;
  /** Ends what is still running. */
  close(): Promise<void>;
}

export function backgroundPrograms(): Background {
  const running = new Set<Promise<unknown>>();
  const stop = new AbortController();
  return {
    start(run) {
      if (stop.signal.aborted) return;
      // Its answer decides nothing; what it did is its own matter, and its time limit holds as for any other.
      const ended: Promise<unknown> = run(stop.signal).finally(() => running.delete(ended));
      running.add(ended);
    },
    async close() {
      stop.abort(new Error("the workspace is closed"));
      await Promise.allSettled(running);
    },
  };
}
