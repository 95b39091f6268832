import type { LedgerRule } from "#core/contracts";
import type { Sha256 } from "#core/values";
import { keptForLedgers, type LedgerHeads, type LedgerRules, ruleOf } from "./ledger.ts";
import type { LedgerWriter } from "./ledger-writer.ts";
import { type ChainMark, type Envelope, emptyMark, type Head } from "./line.ts";
import type { LineWriter } from "./line-writer.ts";
import { Entry, type NextEvent, type Settle } from "./sealed-event.ts";
import type { Tier } from "./tier.ts";

/** How far the three chains of a session have come. */
export interface SessionMarks {
  readonly events: ChainMark;
  readonly exec: ChainMark;
  readonly evidence: ChainMark;
}

export const emptyMarks: SessionMarks = { events: emptyMark, exec: emptyMark, evidence: emptyMark };

/** Where the lines of a session are written. */
export interface Writers {
  readonly line: LineWriter;
  readonly ledgers: LedgerWriter;
  /** True when the disk is about to be waited for, for one event: its ledger entries can be written meanwhile. */
  readonly ledgersMayWait: boolean;
}

/** An event whose ledger entries are not written yet. */
interface Waiting {
  readonly entry: Entry;
  readonly event: Envelope;
  readonly rule: LedgerRule;
  readonly ledgers: LedgerWriter;
}

/**
 * The chains of one session while it is written: the next seq and hash of its events and of the two ledgers derived
 * from them, and how far they are durable. Knows no disk; every driver builds lines with it. Keeps no event: with 1,000
 * busy sessions the garbage collector copies everything that is kept.
 */
export class SessionState {
  readonly session_id: string;
  readonly tier: Tier;
  /** What the session's files hold. */
  written: SessionMarks;
  readonly #rules: LedgerRules;
  readonly #events: Chain;
  readonly #exec: Chain;
  readonly #evidence: Chain;
  #waiting: Waiting | undefined;

  constructor(options: { session_id: string; tier: Tier; marks: SessionMarks; rules: LedgerRules }) {
    this.session_id = options.session_id;
    this.tier = options.tier;
    this.#rules = options.rules;
    this.written = options.marks;
    this.#events = new Chain(options.marks.events);
    this.#exec = new Chain(options.marks.exec);
    this.#evidence = new Chain(options.marks.evidence);
  }

  get head(): Head {
    return this.#events.head;
  }

  get durableSeq(): number {
    return this.#events.durableSeq;
  }

  /** The ledger heads after the last entry, durable or not. */
  ledgers(): LedgerHeads {
    this.writeWaiting();
    return { exec: this.#exec.head, evidence: this.#evidence.head };
  }

  /**
   * Seals the next event, whose line lacks its end, and writes or defers its ledger entries. The event joins all chains
   * at once or, when its payload cannot be read again, none; the driver makes it durable.
   */
  seal(event: NextEvent, settle: Settle | undefined, { line, ledgers, ledgersMayWait }: Writers): Entry {
    event.seq = this.#events.seq + 1;
    event.prev_hash = this.#events.hash;
    event.hash = line.finish(event, event);
    const entry = new Entry(event, settle);
    const rule = ruleOf(this.#rules, event.type);
    if (rule) {
      this.writeWaiting();
      const kept = settle && ledgersMayWait ? keptForLedgers(event, rule) : undefined;
      if (kept) this.#waiting = { entry, event: kept, rule, ledgers };
      else this.#derive(entry, event, rule, ledgers);
    }
    this.#events.join(event.hash);
    return entry;
  }

  /** Writes the deferred ledger entries, if there are any. */
  writeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#derive(waiting.entry, waiting.event, waiting.rule, waiting.ledgers);
  }

  #derive(entry: Entry, event: Envelope, rule: LedgerRule, ledgers: LedgerWriter): void {
    const derived = ledgers.write(event, rule, { exec: this.#exec, evidence: this.#evidence });
    entry.derived = derived;
    this.#exec.join(derived.exec);
    if (derived.evidence !== undefined) this.#evidence.join(derived.evidence);
  }

  /** Marks the entry as on disk; earlier ones were marked before. */
  markDurable({ event, start, end, derived }: Entry): void {
    this.#events.endure(event.hash, end - start);
    if (derived) this.#exec.endure(derived.exec, derived.execEnd - derived.execStart);
    if (derived?.evidence !== undefined)
      this.#evidence.endure(derived.evidence, derived.evidenceEnd - derived.evidenceStart);
  }

  /** The marks of the three chains after the last durable entry. */
  durableMarks(): SessionMarks {
    return { events: this.#events.mark(), exec: this.#exec.mark(), evidence: this.#evidence.mark() };
  }

  /** Drops entries that could not be made durable: the chains continue from the last durable event. */
  rollback(): void {
    this.#waiting = undefined;
    this.#events.rollback();
    this.#exec.rollback();
    this.#evidence.rollback();
  }

  /** Everything up to these marks has been written to the session's files. */
  markWritten(marks: SessionMarks): void {
    this.written = marks;
  }
}

/** A chain while it is written: its head, and the mark of its last durable entry, which advances with each. */
class Chain implements Head {
  seq: number;
  hash: Sha256;
  durableSeq: number;
  #durableHash: Sha256;
  #durableBytes: number;

  constructor({ seq, hash, bytes }: ChainMark) {
    this.seq = seq;
    this.hash = hash;
    this.durableSeq = seq;
    this.#durableHash = hash;
    this.#durableBytes = bytes;
  }

  get head(): Head {
    return { seq: this.seq, hash: this.hash };
  }

  join(hash: Sha256): void {
    this.seq += 1;
    this.hash = hash;
  }

  endure(hash: Sha256, bytes: number): void {
    this.durableSeq += 1;
    this.#durableHash = hash;
    this.#durableBytes += bytes;
  }

  rollback(): void {
    this.seq = this.durableSeq;
    this.hash = this.#durableHash;
  }

  mark(): ChainMark {
    return { seq: this.durableSeq, hash: this.#durableHash, bytes: this.#durableBytes };
  }
}
