const everyMs = 10;

/**
 * Time as this process was served it: a stopwatch that ticks, and so stands still while the machine serves others. What has to happen
 * "within a second" is judged by it, because on a busy machine the clock tells of others.
 */
export interface ServedTime {
  /** Milliseconds that were served between two moments of the clock. */
  between(from: number, to: number): number;
  stop(): void;
}

export function servedTime(): ServedTime {
  const ticks: number[] = [];
  const timer = setInterval(() => ticks.push(Date.now()), everyMs);
  return {
    between: (from, to) => ticks.filter((at) => at > from && at <= to).length * everyMs,
    stop: () => clearInterval(timer),
  };
}
