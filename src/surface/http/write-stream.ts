import type { ServerResponse } from "node:http";
import { keepAlive } from "#core/routes";
import type { Clock } from "#core/values";

/** A client that takes nothing for this long counts as gone, whatever the state of its connection. */
const stalledMs = 30_000;
const keepAliveMs = 15_000;

/**
 * Writes frames as fast as the client takes them: the next one is pulled only after the last was taken, so a slow client
 * costs a cursor and not a buffer.
 */
export async function writeStream(
  response: ServerResponse,
  frames: AsyncIterable<string>,
  options: { readonly clock: Clock; readonly abort: () => void },
): Promise<void> {
  const { clock, abort } = options;
  let stopKeepAlive = (): void => undefined;
  const beat = () => {
    if (!response.writableNeedDrain && !response.writableEnded) response.write(keepAlive);
    stopKeepAlive = clock.after(keepAliveMs, beat);
  };
  stopKeepAlive = clock.after(keepAliveMs, beat);
  try {
    for await (const text of frames) {
      if (response.destroyed || response.writableEnded) break;
      if (!response.write(text) && !(await drained(response, clock))) {
        abort();
        response.destroy();
        return;
      }
    }
    response.end();
  } finally {
    stopKeepAlive();
  }
}

/** Whether the client took what was written; false once it is gone, or takes nothing. */
export function drained(response: ServerResponse, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => () => {
      response.off("drain", drain);
      response.off("close", close);
      cancel();
      resolve(isDrained);
    };
    const drain = settle(true);
    const close = settle(false);
    const cancel = clock.after(stalledMs, close);
    response.once("drain", drain);
    response.once("close", close);
  });
}
