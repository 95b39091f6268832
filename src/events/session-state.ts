import type { Result, Sha256 } from "#base";
import type { Event } from "./event.ts";
import { deriveLedgers, type LedgerLines, type LedgerRules } from "./ledger.ts";
import { type ChainMark, type Envelope, emptyMark, type Head, sealLine } from "./line.ts";
import type { Tier } from "./tier.ts";

/** How far the three chains of a session have come. */
export interface SessionMarks {
  readonly events: ChainMark;
  readonly exec: ChainMark;
  readonly evidence: ChainMark;
}

export const emptyMarks: SessionMarks = { events: emptyMark, exec: emptyMark, evidence: emptyMark };

type LedgerMarks = Omit<SessionMarks, "events">;

/** An event that was recorded and whose line is not in the session's files yet. */
export interface Entry {
  readonly seq: number;
  readonly hash: Sha256;
  /** Kept until it is acknowledged and its ledger entries are derived. */
  event: Envelope | undefined;
  readonly derives: boolean;
  /** Who waits for it, if somebody does. */
  readonly settle: Settle | undefined;
  ledger: { readonly lines: LedgerLines; readonly marks: LedgerMarks } | undefined;
  /** Where the line lies in memory, its LF included. Set by the driver. */
  buffer: Buffer | undefined;
  start: number;
  end: number;
}

/** Told whether an event became durable. */
export type Settle = (outcome: Result<Event>) => void;

export interface NextEvent {
  readonly id: string;
  readonly ts: string;
  readonly type: string;
  readonly actor: string;
  readonly payload: Envelope["payload"];
  readonly json: string;
  readonly parent_id: string | null;
  readonly settle: Settle | undefined;
}

/**
 * The chain of one session while it is written: the next seq and hash, what of it is durable, and the ledgers that follow
 * from it. Knows no disk; every driver builds lines with it.
 */
export class SessionState {
  readonly session_id: string;
  readonly tier: Tier;
  head: Head;
  /** What the session's files hold; the entries come after it. */
  written: SessionMarks;
  readonly entries: Entry[] = [];
  /** The first so many entries are durable. */
  durableCount = 0;
  #derived = 0;
  #ledgers: LedgerMarks;
  readonly #rules: LedgerRules;

  constructor(options: { session_id: string; tier: Tier; marks: SessionMarks; rules: LedgerRules }) {
    this.session_id = options.session_id;
    this.tier = options.tier;
    this.head = options.marks.events;
    this.written = options.marks;
    this.#ledgers = options.marks;
    this.#rules = options.rules;
  }

  /** Seals the next event of the chain. The entry joins the chain at once; the driver makes it durable. */
  seal(next: NextEvent): { readonly text: string; readonly entry: Entry } {
    const seq = this.head.seq + 1;
    const prev_hash = this.head.hash;
    const { text, hash } = sealLine({
      actor: next.actor,
      id: next.id,
      parent_id: next.parent_id,
      payload: next.json,
      prev_hash,
      seq,
      session_id: this.session_id,
      ts: next.ts,
      type: next.type,
    });
    const event: Envelope = {
      id: next.id,
      seq,
      session_id: this.session_id,
      ts: next.ts,
      type: next.type,
      actor: next.actor,
      payload: next.payload,
      schema_version: "v1",
      parent_id: next.parent_id,
      prev_hash,
      hash,
    };
    const entry: Entry = {
      seq,
      hash,
      event,
      derives: Object.hasOwn(this.#rules, next.type),
      settle: next.settle,
      ledger: undefined,
      buffer: undefined,
      start: 0,
      end: 0,
    };
    this.entries.push(entry);
    this.head = entry;
    return { text, entry };
  }

  /** Everything up to this entry is on disk. */
  markDurable(entry: Entry): void {
    this.durableCount = entry.seq - this.written.events.seq;
  }

  /** Derives the ledgers through the last entry, durable or not, and answers how far they have come. */
  derive(): LedgerMarks {
    return this.#deriveTo(this.entries.length);
  }

  /** Where the three chains stand after the last durable entry. */
  durableMarks(): SessionMarks {
    return this.#marksAt(this.durableCount);
  }

  /** What could not be made durable never happened: the chain goes on from the last durable event. */
  rollback(): void {
    this.entries.length = this.durableCount;
    this.head = this.entries.at(-1) ?? this.written.events;
    if (this.#derived <= this.durableCount) return;
    this.#derived = this.durableCount;
    this.#ledgers = this.#ledgersAt(this.durableCount);
  }

  /** The first `count` entries, all durable, have been written to the session's files. */
  drop(count: number): void {
    this.written = this.#marksAt(count);
    for (const entry of this.entries.splice(0, count)) entry.buffer = undefined; // `head` may still point at the last one
    this.durableCount -= count;
    this.#derived -= count;
  }

  #deriveTo(count: number): LedgerMarks {
    for (; this.#derived < count; this.#derived++) {
      const entry = this.entries[this.#derived] as Entry;
      if (!entry.derives || !entry.event) continue;
      const lines = deriveLedgers(entry.event, this.#rules, this.#ledgers);
      if (!lines) continue;
      const marks: LedgerMarks = {
        exec: { ...lines.heads.exec, bytes: this.#ledgers.exec.bytes + sizeOf(lines.exec.text) },
        evidence: {
          ...lines.heads.evidence,
          bytes: this.#ledgers.evidence.bytes + (lines.evidence ? sizeOf(lines.evidence.text) : 0),
        },
      };
      entry.ledger = { lines, marks };
      this.#ledgers = marks;
    }
    return this.#ledgers;
  }

  #marksAt(count: number): SessionMarks {
    this.#deriveTo(count);
    const last = this.entries[count - 1];
    if (!last) return this.written;
    let bytes = this.written.events.bytes;
    for (let index = 0; index < count; index++) {
      const entry = this.entries[index] as Entry;
      bytes += entry.end - entry.start;
    }
    const { exec, evidence } = this.#ledgersAt(count);
    return { events: { seq: last.seq, hash: last.hash, bytes }, exec, evidence };
  }

  #ledgersAt(count: number): LedgerMarks {
    for (let index = count - 1; index >= 0; index--) {
      const ledger = this.entries[index]?.ledger;
      if (ledger) return ledger.marks;
    }
    return this.written;
  }
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}
