import type { Event } from "#log";

/** What a process writes that opens the workspace after another died: no process was at work in the time before it. */
const afterStop: readonly string[] = ["session.resumed", "log.recovered", "turn.aborted"];

/** Milliseconds that an order was at work before it stopped: the time to each of its events from the one before. */
export function timeAtWork(events: readonly Pick<Event, "type" | "ts" | "payload">[]): number {
  let sum = 0;
  let last: number | undefined;
  for (const { type, ts, payload } of events) {
    const at = Date.parse(ts);
    const isRecovery = afterStop.includes(type) || ("recovered" in payload && payload.recovered);
    if (last !== undefined && !isRecovery) sum += Math.max(0, at - last);
    last = at;
  }
  return sum;
}
