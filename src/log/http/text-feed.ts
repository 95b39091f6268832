import { frame } from "#core/routes";
import { ok, type Result, type SessionId } from "#core/values";

interface Live {
  readonly frames: string[];
  /** The number of the first frame that is still here. */
  first: number;
  ended: boolean;
  readonly wakeners: Set<() => void>;
}

/** Chunks of text that are kept per session for clients that reconnect. */
const kept = 4096;
/** Ended sessions whose text can still be read. */
const remembered = 64;

/**
 * The text of models while it is generated. Nothing is recorded here: the complete response is an event. A client that
 * reconnects with its last number gets the rest, or a `gap` with the range that is gone.
 */
export class TextFeeds {
  readonly #live = new Map<SessionId, Live>();

  begin(session_id: SessionId): void {
    if (this.#live.get(session_id)?.ended === false) return;
    this.#live.delete(session_id); // and set again: the oldest that ended is dropped first
    this.#live.set(session_id, { frames: [], first: 1, ended: false, wakeners: new Set() });
  }

  add(session_id: SessionId, role: string, delta: string): void {
    const live = this.#live.get(session_id);
    if (!live) return;
    live.frames.push(frame("text", { role, delta }, live.first + live.frames.length));
    if (live.frames.length > kept) {
      live.frames.splice(0, kept / 2);
      live.first += kept / 2;
    }
    wake(live);
  }

  end(session_id: SessionId): void {
    const live = this.#live.get(session_id);
    if (!live) return;
    live.ended = true;
    wake(live);
    const ended = [...this.#live].filter(([, each]) => each.ended);
    for (const [id] of ended.slice(0, -remembered)) this.#live.delete(id);
  }

  /** The text after this number, until the session ends; nothing for a session that does not run in this process. */
  async *after(session_id: SessionId, number: number, signal: AbortSignal): AsyncGenerator<Result<string>> {
    const live = this.#live.get(session_id);
    if (!live) return;
    let next = number + 1;
    while (!signal.aborted) {
      if (next < live.first) {
        yield ok(frame("gap", { from: next, to: live.first - 1 }));
        next = live.first;
      }
      const text = live.frames[next - live.first];
      if (text !== undefined) {
        next += 1;
        yield ok(text);
      } else if (live.ended) return;
      else await change(live, signal);
    }
  }
}

function wake(live: Live): void {
  const woken = [...live.wakeners];
  live.wakeners.clear();
  for (const each of woken) each();
}

function change(live: Live, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener("abort", done);
      live.wakeners.delete(done);
      resolve();
    };
    live.wakeners.add(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
