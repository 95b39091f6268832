import { type Clock, type DomainError, ok, type Result } from "#base";
import type { LogReader, SessionInfo } from "#events";

export interface ListedSessions {
  /** Newest first. */
  readonly sessions: readonly SessionInfo[];
  readonly damaged: readonly DomainError[];
}

/** Listing opens every session's file: whoever asks within this time gets what the one before got. */
const freshMs = 500;

/** The sessions of the workspace, read at most twice a second however many ask. */
export class SessionList {
  readonly #reader: LogReader;
  readonly #clock: Clock;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Result<ListedSessions>> | undefined;

  constructor(reader: LogReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  read(): Promise<Result<ListedSessions>> {
    const now = this.#clock.monotonic();
    if (!this.#reading || now - this.#readAt > freshMs) {
      this.#readAt = now;
      this.#reading = this.#list();
    }
    return this.#reading;
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
