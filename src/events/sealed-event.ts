import type { Result, Sha256 } from "#base";
import type { Event } from "./event.ts";
import type { Envelope, NewLine } from "./line.ts";

/** Told whether an event became durable. */
export type Settle = (outcome: Result<Event>) => void;

export interface NextEvent extends Omit<NewLine, "json"> {
  readonly payload: Envelope["payload"];
  readonly settle: Settle | undefined;
}

/**
 * Made by constructors, not by literals: of what a literal makes V8 counts how much survives, and of 1,000 sessions that begin
 * together everything does. From then on it makes them in old memory, where each keeps alive what it points to until
 * the whole heap is collected; that took twice as long as all other collecting.
 */
export class SealedEvent implements Envelope {
  readonly id: string;
  readonly seq: number;
  readonly session_id: string;
  readonly ts: string;
  readonly type: string;
  readonly actor: string;
  readonly payload: Envelope["payload"];
  readonly schema_version = "v1";
  readonly parent_id: string | null;
  readonly prev_hash: Sha256;
  readonly hash: Sha256;

  constructor(next: NextEvent, session_id: string, seq: number, prev_hash: Sha256, hash: Sha256) {
    this.id = next.id;
    this.seq = seq;
    this.session_id = session_id;
    this.ts = next.ts;
    this.type = next.type;
    this.actor = next.actor;
    this.payload = next.payload;
    this.parent_id = next.parent_id;
    this.prev_hash = prev_hash;
    this.hash = hash;
  }
}

/** An event that was sealed and is not durable yet. */
export class Entry {
  readonly seq: number;
  readonly hash: Sha256;
  readonly event: Envelope;
  /** Who waits for it, if somebody does. */
  readonly settle: Settle | undefined;
  /** Where the line lies in its batch, its LF included. Set by the driver. */
  start = 0;
  end = 0;

  constructor(event: Envelope, settle: Settle | undefined) {
    this.seq = event.seq;
    this.hash = event.hash;
    this.event = event;
    this.settle = settle;
  }
}
