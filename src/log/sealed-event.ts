import { type Result, type Sha256, zeroHash } from "#core/values";
import type { Event, EventInput } from "./event.ts";
import type { Derived } from "./ledger-writer.ts";
import type { Envelope } from "./line.ts";

/** TypedPayload whether an event became durable. */
export type Settle = (outcome: Result<Event>) => void;

/**
 * An event on its way into a chain: what its caller says, then its payload once that has passed the gate, then its place and
 * its hash.
 *
 * Made by a constructor, not by a literal: of what a literal makes V8 counts how much survives, and of 1,000 sessions that begin
 * together everything does. From then on it makes them in old memory, where each keeps alive what it points to until
 * the whole heap is collected; that took twice as long as all other collecting.
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

/** An event that was sealed and is not durable yet. */
export class Entry {
  readonly event: Envelope;
  /** Who waits for it, if somebody does. */
  readonly settle: Settle | undefined;
  /** What it left in the ledgers, if anything. */
  derived: Derived | undefined = undefined;
  /** Where the line lies in its batch, its LF included. Set by the driver. */
  start = 0;
  end = 0;

  constructor(event: Envelope, settle: Settle | undefined) {
    this.event = event;
    this.settle = settle;
  }
}
