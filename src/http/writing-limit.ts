import type { ServerResponse } from "node:http";
import type { Clock } from "#base";

/** A minute for every answer, and a second more for each of so many bytes: slower lines than that are not waited for. */
const leastMs = 60_000;
const bytesPerSecond = 100 * 1024;

export function writingLimitMs(bytes: number): number {
  return leastMs + (bytes / bytesPerSecond) * 1000;
}

/**
 * An answer that is given whole lies in memory until its client has taken it: one who does not is dropped. (A stream waits
 * for its client itself.)
 */
export function limitWriting(response: ServerResponse, bytes: number, clock: Clock): void {
  const stop = clock.after(writingLimitMs(bytes), () => response.destroy());
  response.once("close", stop);
}
