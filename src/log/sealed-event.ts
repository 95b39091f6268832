import { type Result, type Sha256, zeroHash } from "#core/values";
import type { Event, EventInput } from "./event.ts";
import type { Derived } from "./ledger-writer.ts";
import type { Envelope } from "./line.ts";

/** Called with the outcome: the event became durable, or failed. */
export type Settle = (outcome: Result<Event>) => void;

/**
 * An event on its way into a chain: the caller's input, then its checked payload, then its position and hash.
 *
 * Created by a constructor, not by a literal: V8 tracks how many objects of a literal survive, and of 1,000 sessions
 * that begin together all do. From then on it allocates them in old space, where each keeps alive what it points to
 * until the whole heap is collected; that took twice as long as all other garbage collection.
 */
export class NextEvent implements Envelope {
  readonly id: string;
  seq = 0;
  readonly session_id: string;
  readonly ts: string;
  readonly type: string;
  readonly actor: string;
  payload: Envelope["payload"] = nothing;
  readonly schema_version = "v1";
  readonly parent_id: string | null;
  prev_hash: Sha256 = zeroHash;
  hash: Sha256 = zeroHash;

  constructor(session_id: string, id: string, ts: string, { type, actor, parent_id = null }: EventInput) {
    this.id = id;
    this.session_id = session_id;
    this.ts = ts;
    this.type = type;
    this.actor = actor;
    this.parent_id = parent_id;
  }
}

const nothing: Envelope["payload"] = {};

/** An event that is sealed and not durable yet. */
export class Entry {
  readonly event: Envelope;
  /** Called with the outcome; undefined for a staged event. */
  readonly settle: Settle | undefined;
  /** Its ledger entries, if it has any. */
  derived: Derived | undefined = undefined;
  /** The position of the line in its batch, its LF included. Set by the driver. */
  start = 0;
  end = 0;

  constructor(event: Envelope, settle: Settle | undefined) {
    this.event = event;
    this.settle = settle;
  }
}
