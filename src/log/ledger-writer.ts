import type { LedgerRule } from "#core/contracts";
import { canonicalJson, type JsonValue, type Sha256 } from "#core/values";
import { FixedText, putFixed } from "./fixed-text.ts";
import { evidenceFields, execFields, type LedgerField, type LedgerHeads, valueOf } from "./ledger.ts";
import type { Envelope } from "./line.ts";
import { type LineMemory, putAscii, putCount, writeText } from "./line-memory.ts";
import { LineWriter } from "./line-writer.ts";

/** Memory in which ledger entries gather together with their events. */
export interface LedgerMemory extends LineMemory {
  /** Ends the line. Returns its start, relative to its batch; its LF follows it. */
  endLine(): number;
}

/** The ledger entries of an event: their hashes and their positions in the batch, LFs included. */
export class Derived {
  exec: Sha256 = "";
  execStart = 0;
  execEnd = 0;
  evidence: Sha256 | undefined;
  evidenceStart = 0;
  evidenceEnd = 0;
}

/**
 * Writes the ledger entries of an event that is being recorded, byte for byte as `deriveLedgers` derives them. At once:
 * to derive them later, every event had to be copied and kept until then, which took longer.
 */
export class LedgerWriter {
  readonly #memory: LedgerMemory;
  readonly #line: LineWriter;

  constructor(memory: LedgerMemory) {
    this.#memory = memory;
    this.#line = new LineWriter(memory);
  }

  /** `session` is the chain's `sessionField`. */
  write(event: Envelope, rule: LedgerRule, { exec, evidence }: LedgerHeads, session: FixedText): Derived {
    const derived = new Derived();
    const line = this.#line;
    const place = { ts: event.ts, type: rule.exec, seq: exec.seq + 1, prev_hash: exec.hash };
    line.beginEntry(event, asExec);
    this.#writePayload(event, execFields(rule), "");
    derived.exec = line.finish(place, session);
    derived.execEnd = this.#memory.end - this.#memory.position + 1;
    derived.execStart = this.#memory.endLine();
    derived.execEnd += derived.execStart;
    if (!rule.evidence_fields) return derived;
    place.seq = evidence.seq + 1;
    place.prev_hash = evidence.hash;
    line.beginEntry(event, asEvidence);
    this.#writePayload(event, evidenceFields(rule), derived.exec);
    derived.evidence = line.finish(place, session);
    derived.evidenceEnd = this.#memory.end - this.#memory.position + 1;
    derived.evidenceStart = this.#memory.endLine();
    derived.evidenceEnd += derived.evidenceStart;
    return derived;
  }

  #writePayload(event: Envelope, fields: readonly LedgerField[], execHash: Sha256): void {
    const memory = this.#memory;
    let open = 0x7b;
    for (const { from, key, fixed } of fields) {
      const value = from === "payload" ? valueOf(event.payload, key) : undefined;
      if (from === "payload" && value === undefined) continue;
      const own = from === "event_hash" ? event.hash : from === "event_id" ? event.id : execHash;
      memory.reserve(fixed.room + own.length + 3);
      memory.buffer[memory.end] = open;
      memory.end = putFixed(memory.view, fixed, memory.end + 1);
      if (value === undefined) putQuoted(memory, own);
      else writeValue(memory, value);
      open = 0x2c;
    }
    memory.reserve(1);
    memory.buffer[memory.end++] = 0x7d;
  }
}

const asExec = new FixedText('-exec","parent_id":"');
const asEvidence = new FixedText('-evidence","parent_id":"');
const quote = 0x22;

/** Writes a hash or an id of Writ's own, for which room was reserved. */
function putQuoted(memory: LineMemory, text: string): void {
  const { buffer } = memory;
  buffer[memory.end] = quote;
  memory.end = putAscii(buffer, text, memory.end + 1);
  buffer[memory.end++] = quote;
}

const mostDigits = 16;

function writeValue(memory: LineMemory, value: JsonValue): void {
  if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) {
    memory.reserve(mostDigits);
    memory.end = putCount(memory.buffer, value, memory.end);
  } else writeText(memory, typeof value === "object" ? canonicalJson(value) : JSON.stringify(value));
}
