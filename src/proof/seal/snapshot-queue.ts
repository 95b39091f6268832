import { setImmediate as turn } from "node:timers/promises";
import type { SchemaRegistry } from "#core/contracts";
import { ok, type SessionId } from "#core/values";
import type { EventLog, Fold } from "#log";
import { replay } from "#log";
import { writeSnapshot } from "./write-snapshot.ts";

interface SnapshotSource {
  readonly log: EventLog;
  readonly schemas: Pick<SchemaRegistry, "has" | "validate">;
}

interface Closed {
  readonly session_id: SessionId;
  /** The fold that ran along, if it saw the whole chain; without one the events are folded again. */
  readonly fold: Fold | undefined;
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

  async #keep({ session_id, fold }: Closed): Promise<void> {
    const { log, schemas } = this.#source;
    const snapshot = fold ? ok(fold.snapshot()) : await replay(session_id, { reader: log, schemas, verify: false });
    if (!snapshot.ok) return; // `verify` names what is wrong with the events
    const place = await log.locate(session_id);
    if (place.ok) writeSnapshot(place.value.folder, snapshot.value);
  }
}
