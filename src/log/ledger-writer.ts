import type { LedgerRule } from "#core/contracts";
import type { Sha256 } from "#core/values";
import { evidenceEntry, execEntry, type LedgerHeads } from "./ledger.ts";
import type { Envelope, Head, NewLine } from "./line.ts";
import { type LineMemory, writeText } from "./line-memory.ts";
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
 * Writes the ledger entries of an event that is being recorded. At once: to derive them later, every event had to be copied
 * and kept until then, which took longer.
 */
export class LedgerWriter {
  readonly #memory: LedgerMemory;
  readonly #line: LineWriter;

  constructor(memory: LedgerMemory) {
    this.#memory = memory;
    this.#line = new LineWriter(memory);
  }

  write(event: Envelope, rule: LedgerRule, heads: LedgerHeads): Derived {
    const derived = new Derived();
    derived.exec = this.#write(execEntry(event, rule), event, heads.exec);
    derived.execEnd = this.#memory.end - this.#memory.position + 1;
    derived.execStart = this.#memory.endLine();
    derived.execEnd += derived.execStart;
    const proof = evidenceEntry(event, rule, derived.exec);
    if (!proof) return derived;
    derived.evidence = this.#write(proof, event, heads.evidence);
    derived.evidenceEnd = this.#memory.end - this.#memory.position + 1;
    derived.evidenceStart = this.#memory.endLine();
    derived.evidenceEnd += derived.evidenceStart;
    return derived;
  }

  #write(entry: NewLine, { session_id }: Envelope, { seq, hash }: Head): Sha256 {
    this.#line.begin(entry);
    writeText(this.#memory, entry.json);
    return this.#line.finish(entry, { session_id, seq: seq + 1, prev_hash: hash });
  }
}
