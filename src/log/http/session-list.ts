import { type DomainError } from "#core/errors";
import { type Clock, ok, type Result } from "#core/values";
import type { LogReader, SessionInfo } from "../event-log.ts";

export interface ListedSessions {
  /** Newest first. */
  readonly sessions: readonly SessionInfo[];
  readonly damaged: readonly DomainError[];
}

/** Listing opens every session's file, so a list is reused for this long. */
const freshMs = 500;
/** A slow list is reused for this many times its duration. */
const freshTimes = 10;

/** The sessions of the workspace and values derived from them, read at most twice a second for all callers. */
export class SessionList {
  readonly #reader: LogReader;
  readonly #clock: Clock;
  #readAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #reading: Promise<Result<ListedSessions>> | undefined;

  constructor(reader: LogReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  read(): Promise<Result<ListedSessions>> {
    const now = this.#clock.monotonic();
    if (!this.#reading || now - this.#readAt > Math.max(freshMs, this.#tookMs * freshTimes)) {
      this.#readAt = now;
      this.#reading = this.#timed(now);
    }
    return this.#reading;
  }

  async #timed(begun: number): Promise<Result<ListedSessions>> {
    const listed = await this.#list();
    this.#tookMs = this.#clock.monotonic() - begun;
    return listed;
  }

  /** A value derived from the list, computed once for each read of it. */
  derived<T>(find: (listed: ListedSessions) => Promise<Result<T>>): () => Promise<Result<T>> {
    const found = new WeakMap<ListedSessions, Promise<Result<T>>>();
    return async () => {
      const listed = await this.read();
      if (!listed.ok) return listed;
      const known = found.get(listed.value) ?? find(listed.value);
      found.set(listed.value, known);
      return known;
    };
  }

  async #list(): Promise<Result<ListedSessions>> {
    const sessions: SessionInfo[] = [];
    const damaged: DomainError[] = [];
    for await (const info of this.#reader.list()) {
      if (info.ok) sessions.push(info.value);
      else damaged.push(info.error);
    }
    sessions.sort(newestFirst);
    return ok({ sessions, damaged });
  }
}

function newestFirst(a: SessionInfo, b: SessionInfo): number {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? 1 : -1;
  return a.session_id < b.session_id ? 1 : -1;
}
