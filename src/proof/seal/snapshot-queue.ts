import { setImmediate as turn } from "node:timers/promises";
import type { SchemaRegistry } from "#core/contracts";
import { isJsonObject, ok, type SessionId } from "#core/values";
import type { Event, EventLog, Fold } from "#log";
import { readSnapshot, replay, snapshotText } from "#log";

interface SnapshotSource {
  readonly log: EventLog;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
}

interface Closed {
  readonly session_id: SessionId;
  /** The fold that ran along, if it saw the whole chain; without one the events are folded again. */
  readonly fold: Fold | undefined;
  /** Only if there is none of this end yet: the process that closed it may have written it before it died. */
  readonly unless?: Event<"session.close">;
}

/** Snapshots that are written before other work gets a turn of the event loop. */
const atOnce = 8;

/**
 * Writes the snapshots of closed sessions after they have closed: a snapshot can always be made again from the events, so no
 * caller waits for one. A process that dies before it is written leaves a session without one, which is no fault.
 */
export class SnapshotQueue {
  readonly #source: SnapshotSource;
  #waiting: Closed[] = [];
  #writing: Promise<void> | undefined;

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  add(session_id: SessionId, fold?: Fold): void {
    this.#waiting.push({ session_id, fold });
    this.#writing ??= this.#write();
  }

  addMissing(session_id: SessionId, close: Event<"session.close">): void {
    this.#waiting.push({ session_id, fold: undefined, unless: close });
    this.#writing ??= this.#write();
  }

  /** Resolves when no snapshot is waiting. */
  async drained(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      await turn();
      for (const closed of this.#waiting.splice(0, atOnce)) await this.#keep(closed);
    }
    this.#writing = undefined;
  }

  async #keep({ session_id, fold, unless }: Closed): Promise<void> {
    const { log, schemas } = this.#source;
    const place = await log.locate(session_id);
    if (!place.ok || (unless && endsWith(readSnapshot(place.value.folder), unless))) return;
    const snapshot = fold ? ok(fold.snapshot()) : await replay(session_id, { reader: log, schemas, verify: false });
    if (snapshot.ok) log.keepSnapshot(session_id, place.value.folder, snapshotText(snapshot.value)); // else `verify` says what is wrong
  }
}

/** Whether it is whole and was made at this end; one that does not match is not what stays. */
function endsWith(snapshot: string | undefined, { seq, hash }: Event<"session.close">): boolean {
  if (!snapshot) return false;
  try {
    const kept: unknown = JSON.parse(snapshot);
    return isJsonObject(kept) && kept["head_hash"] === hash && kept["event_count"] === seq;
  } catch {
    return false; // a power cut left a part of it
  }
}
