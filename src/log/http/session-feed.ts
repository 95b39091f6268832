import { domainError } from "#core/errors";
import { frame } from "#core/routes";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { Event } from "../event.ts";
import type { LogReader } from "../event-log.ts";

/** Frames of the newest events that the watchers of a session share in memory. */
const kept = 512;

/**
 * One session for many watchers. One reader follows the log and its newest frames are shared. Each watcher pulls with its
 * own cursor: a slow one falls back to reading the log, delays no other, and needs no buffer.
 *
 *     past (read from the log) ──► the shared tail ──► end (session.close)
 *            ▲                           │
 *            └── fell behind the tail ◄──┘
 */
export class SessionFeed {
  readonly #session_id: SessionId;
  readonly #reader: LogReader;
  readonly #frames: string[] = [];
  #first = 0;
  #tail: AbortController | undefined;
  #watchers = 0;
  #wakeners = new Set<() => void>();
  #ended: Result<void> | undefined;

  constructor(session_id: SessionId, reader: LogReader) {
    this.#session_id = session_id;
    this.#reader = reader;
  }

  get isIdle(): boolean {
    return this.#watchers === 0;
  }

  /** Frames after this event, past ones first, until the session closes or the signal aborts. */
  async *after(seq: number, signal: AbortSignal): AsyncGenerator<Result<string>> {
    this.#watchers += 1;
    let next = seq + 1;
    let hasJoined = false;
    try {
      while (!signal.aborted) {
        const shared = this.#shared(next);
        if (shared !== undefined) {
          next += 1;
          yield ok(shared);
        } else if (hasJoined && this.#tail && next >= this.#first) {
          if (this.#ended) {
            if (!this.#ended.ok) yield this.#ended;
            return;
          }
          await this.#change(signal);
        } else {
          let last: Event | undefined;
          // Starts at the last event that was sent: it may be the session's last, or may not exist.
          for await (const event of this.#reader.read(this.#session_id, { from: Math.max(1, next - 1) })) {
            if (!event.ok) {
              yield event;
              return;
            }
            last = event.value;
            if (last.seq < next) continue;
            next = last.seq + 1;
            yield ok(eventFrame(last));
            if (signal.aborted) return;
          }
          if (last?.type === "session.close") return;
          if (!last && next > 1) {
            yield err(domainError("MALFORMED_INPUT", `${this.#session_id} has no event ${next - 1} to go on after`));
            return;
          }
          hasJoined = true;
          this.#follow(next);
        }
      }
    } finally {
      this.#watchers -= 1;
      if (this.#watchers === 0) this.stop();
    }
  }

  stop(): void {
    this.#tail?.abort();
    this.#tail = undefined;
    this.#frames.length = 0;
    this.#ended = undefined;
  }

  #shared(seq: number): string | undefined {
    return this.#tail && seq >= this.#first ? this.#frames[seq - this.#first] : undefined;
  }

  /** Starts the shared tail here, unless it runs already: then the watcher reads up to it. */
  #follow(from: number): void {
    if (this.#tail) return;
    const controller = new AbortController();
    this.#tail = controller;
    this.#first = from;
    this.#frames.length = 0;
    void this.#run(from, controller);
  }

  async #run(from: number, controller: AbortController): Promise<void> {
    let end: Result<void> = ok(undefined);
    try {
      for await (const event of this.#reader.follow(this.#session_id, { from, signal: controller.signal })) {
        if (controller.signal.aborted) return;
        if (!event.ok) {
          end = event;
          break;
        }
        this.#frames.push(eventFrame(event.value));
        if (this.#frames.length > kept) {
          this.#frames.splice(0, kept / 2);
          this.#first += kept / 2;
        }
        this.#wake();
      }
    } catch (thrown) {
      end = err(domainError("INTERNAL", `the session ${this.#session_id} could not be followed`, { cause: thrown }));
    }
    if (controller.signal.aborted) return;
    this.#ended = end;
    this.#wake();
  }

  #wake(): void {
    const woken = this.#wakeners;
    this.#wakeners = new Set();
    for (const wake of woken) wake();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        this.#wakeners.delete(wake);
        resolve();
      };
      this.#wakeners.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

function eventFrame(event: Event): string {
  return frame("event", event, event.seq);
}

/** The feeds of all watched sessions. */
export class SessionFeeds {
  readonly #reader: LogReader;
  readonly #feeds = new Map<SessionId, SessionFeed>();

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  async *after(session_id: SessionId, seq: number, signal: AbortSignal): AsyncGenerator<Result<string>> {
    const feed = this.#feeds.get(session_id) ?? new SessionFeed(session_id, this.#reader);
    this.#feeds.set(session_id, feed);
    try {
      yield* feed.after(seq, signal);
    } finally {
      if (feed.isIdle && this.#feeds.get(session_id) === feed) this.#feeds.delete(session_id);
    }
  }
}
