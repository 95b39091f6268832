import type { JsonObject, Sha256 } from "#base";
import { copyForLedgers, deriveLedgers, type LedgerLines, type LedgerRules } from "./ledger.ts";
import { type ChainMark, type Envelope, emptyMark, type Head } from "./line.ts";
import { type LineWriter, sessionField } from "./line-writer.ts";
import type { Entry, NextEvent } from "./sealed-event.ts";
import type { Tier } from "./tier.ts";

/** How far the three chains of a session have come. */
export interface SessionMarks {
  readonly events: ChainMark;
  readonly exec: ChainMark;
  readonly evidence: ChainMark;
}

export const emptyMarks: SessionMarks = { events: emptyMark, exec: emptyMark, evidence: emptyMark };

type LedgerMarks = Omit<SessionMarks, "events">;

/** What an event left in the ledgers, and where they stand behind it. */
interface Derived {
  readonly seq: number;
  readonly lines: LedgerLines;
  readonly marks: LedgerMarks;
}

/**
 * The chain of one session while it is written: the next seq and hash, how far it is durable, and the ledgers that follow
 * from it. Knows no disk; every driver builds lines with it. Of an event that is durable it keeps nothing, unless the
 * ledgers still wait for it: with 1,000 busy sessions what is kept is what the garbage collector copies.
 */
export class SessionState {
  readonly session_id: string;
  readonly tier: Tier;
  /** What the session's files hold. */
  written: SessionMarks;
  readonly #field: Uint8Array;
  #seq: number;
  #hash: Sha256;
  /** The mark of the last durable event. Not an object of its own: it moves with every event. */
  #durableSeq: number;
  #durableHash: Sha256;
  #durableBytes: number;
  readonly #rules: LedgerRules;
  /** Events that leave ledger entries which are not derived yet, and those whose entries are not in the files yet. */
  #underived: Envelope[] = [];
  #derived: Derived[] = [];
  /** Where the ledgers stand behind everything that is derived. */
  #ledgers: LedgerMarks;

  constructor(options: { session_id: string; tier: Tier; marks: SessionMarks; rules: LedgerRules }) {
    const { events } = options.marks;
    this.session_id = options.session_id;
    this.tier = options.tier;
    this.#field = sessionField(options.session_id);
    this.written = options.marks;
    this.#seq = events.seq;
    this.#hash = events.hash;
    this.#durableSeq = events.seq;
    this.#durableHash = events.hash;
    this.#durableBytes = events.bytes;
    this.#ledgers = options.marks;
    this.#rules = options.rules;
  }

  get head(): Head {
    return { seq: this.#seq, hash: this.#hash };
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  /** A payload for `seal`: ledgers are derived when there is time, and until then the caller may change what is his. */
  keep(type: string, payload: JsonObject): JsonObject {
    const rule = Object.hasOwn(this.#rules, type) ? this.#rules[type] : undefined;
    return rule ? copyForLedgers(payload, rule) : payload;
  }

  /** Seals the next event, of which `line` lacks the end. It joins the chain at once; the driver makes it durable. */
  seal(event: NextEvent, line: LineWriter): Envelope {
    event.seq = this.#seq + 1;
    event.prev_hash = this.#hash;
    event.hash = line.finish(event, this.#field);
    if (Object.hasOwn(this.#rules, event.type)) this.#underived.push(event);
    this.#seq = event.seq;
    this.#hash = event.hash;
    return event;
  }

  /** The entry is on disk; those before it were said before. */
  markDurable({ event, start, end }: Entry): void {
    this.#durableSeq = event.seq;
    this.#durableHash = event.hash;
    this.#durableBytes += end - start;
  }

  /** Derives the ledgers through the last entry, durable or not, and answers how far they have come. */
  derive(): LedgerMarks {
    return this.#deriveThrough(this.#seq);
  }

  /** Where the three chains stand after the last durable entry. */
  durableMarks(): SessionMarks {
    this.#deriveThrough(this.#durableSeq);
    const { exec, evidence } = this.#durableLedgers();
    return { events: { seq: this.#durableSeq, hash: this.#durableHash, bytes: this.#durableBytes }, exec, evidence };
  }

  /** The lines of a ledger that follow from durable events and are not in its file yet, each with its LF. */
  ledgerText(ledger: "exec" | "evidence"): string {
    this.#deriveThrough(this.#durableSeq);
    let text = "";
    for (const { seq, lines } of this.#derived) {
      const line = seq <= this.#durableSeq ? lines[ledger] : undefined;
      if (line) text += `${line.text}\n`;
    }
    return text;
  }

  /** What could not be made durable never happened: the chain goes on from the last durable event. */
  rollback(): void {
    this.#seq = this.#durableSeq;
    this.#hash = this.#durableHash;
    this.#underived = this.#underived.filter(({ seq }) => seq <= this.#seq);
    this.#derived = this.#derived.filter(({ seq }) => seq <= this.#seq);
    this.#ledgers = this.#durableLedgers();
  }

  /** Everything durable, and what the ledgers make of it, has been written to the session's files. */
  markWritten(): void {
    this.written = this.durableMarks();
    if (this.#derived.length > 0) this.#derived = this.#derived.filter(({ seq }) => seq > this.#durableSeq);
  }

  #deriveThrough(seq: number): LedgerMarks {
    let count = 0;
    for (; count < this.#underived.length; count++) {
      const event = this.#underived[count] as Envelope;
      if (event.seq > seq) break;
      const lines = deriveLedgers(event, this.#rules, this.#ledgers);
      if (!lines) continue;
      this.#ledgers = {
        exec: { ...lines.heads.exec, bytes: this.#ledgers.exec.bytes + sizeOf(lines.exec.text) },
        evidence: {
          ...lines.heads.evidence,
          bytes: this.#ledgers.evidence.bytes + (lines.evidence ? sizeOf(lines.evidence.text) : 0),
        },
      };
      this.#derived.push({ seq: event.seq, lines, marks: this.#ledgers });
    }
    if (count > 0) this.#underived.splice(0, count);
    return this.#ledgers;
  }

  #durableLedgers(): LedgerMarks {
    return this.#derived.findLast(({ seq }) => seq <= this.#durableSeq)?.marks ?? this.written;
  }
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}
