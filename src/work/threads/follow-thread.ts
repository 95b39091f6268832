import { type Clock, isSessionId, ok, type Result, sleep } from "#core/values";
import type { EventLog } from "#log";
import type { LivePieces } from "./live-pieces.ts";
import type { ThreadStore } from "./store/thread-store.ts";
import type { StreamPart } from "./stream-part.ts";
import { partOfEvent } from "./stream-parts.ts";

export interface FollowedPart {
  readonly part: StreamPart;
  /** Where a client that comes back goes on; absent for a piece, which the record does not hold. */
  readonly id?: number;
}

/** A session has fewer events than this, so that one number holds the position and the event. */
const perPosition = 1_000_000;
/** How often a thread is looked at for its next message. */
const pollMs = 400;

interface Followed {
  readonly store: Pick<ThreadStore, "messagesOf">;
  readonly log: Pick<EventLog, "follow">;
  readonly clock: Clock;
  readonly pieces: LivePieces;
}

/**
 * What people are shown of a thread, message after message, until the signal aborts: what is recorded with a number that grows, so
 * that a client which comes back gets the rest and nothing twice, and between it the pieces of answers that arrive in this process.
 */
export async function* followThread(
  { store, log, clock, pieces }: Followed,
  thread_id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Result<FollowedPart>> {
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener("abort", end, { once: true });
  const queue: Result<FollowedPart>[] = [];
  let wake: () => void = () => undefined;
  const push = (item: Result<FollowedPart>) => {
    queue.push(item);
    wake();
  };
  const leave = pieces.follow(thread_id, (part) => push(ok({ part })));
  const reading = (async () => {
    let position = Math.max(1, Math.floor(after / perPosition));
    while (!ended.signal.aborted) {
      const messages = await store.messagesOf(thread_id);
      if (!messages.ok) return push(messages);
      const next = messages.value.find((each) => each.position === position && each.begun);
      if (!next?.session_id || !isSessionId(next.session_id)) {
        if (!(await sleep(clock, pollMs, ended.signal))) return;
        continue;
      }
      const seen = Math.max(0, after - position * perPosition);
      // Starts after the last event that the client saw. If that one ended its session, no further event of it follows.
      for await (const event of log.follow(next.session_id, { from: Math.max(1, seen), signal: ended.signal })) {
        if (!event.ok) return push(event);
        if (event.value.seq <= seen) continue;
        const part = partOfEvent(event.value);
        if (part) push(ok({ part, id: position * perPosition + event.value.seq }));
      }
      position += 1;
    }
  })();
  void reading.finally(() => {
    end();
    wake();
  });
  try {
    for (;;) {
      const item = queue.shift();
      if (item) yield item;
      else if (ended.signal.aborted) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    end();
    leave();
    signal.removeEventListener("abort", end);
    await reading;
  }
}
