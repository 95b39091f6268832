import type { ServerResponse } from "node:http";
import type { Clock } from "#core/values";

/** A minute for every answer plus its bytes at the slowest line that is served. */
const leastMs = 60_000;
const bytesPerSecond = 100 * 1024;

export function writingLimitMs(bytes: number): number {
  return leastMs + (bytes / bytesPerSecond) * 1000;
}

/**
 * Drops a client that does not take its answer, which lies in memory until then. Streams have a limit of their own.
 */
export function limitWriting(response: ServerResponse, bytes: number, clock: Clock): void {
  const stop = clock.after(writingLimitMs(bytes), () => response.destroy());
  response.once("close", stop);
}
