import { type Sha256, sha256 } from "#core/values";
import {
  afterPayload,
  beforePayload,
  hashField,
  hashFieldLength,
  type LinePlace,
  lineStart,
  type NewLine,
} from "./line.ts";
import { type LineMemory, writeText } from "./line-memory.ts";

/**
 * Writes the next line of a chain in place: `begin`, then its payload after `memory.end`, then `finish`, which seals
 * it. The result is byte for byte that of `sealLine`. A line that is not finished leaves nothing behind.
 *
 *   {"actor":"log",  "hash":"…",  "id":"…","parent_id":null,"payload":  {…}  ,"prev_hash":"…",…,"type":"…"}
 *   └── start ────┘  └ room ───┘  └──────────────── begin ──────────┘        └──────── finish ────────────┘
 *
 * The start is written after the room for the hash, so that all hashed bytes are contiguous; then it is written again
 * before it.
 */
export class LineWriter {
  readonly memory: LineMemory;
  #isOpen = false;
  /** What the begun line starts with. */
  #start = "";

  constructor(memory: LineMemory) {
    this.memory = memory;
  }

  /**
   * True while the payload of a begun line is being read. Its getters may call any code; no other line may begin
   * meanwhile.
   */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  begin(line: Pick<NewLine, "actor" | "id" | "parent_id">): void {
    const { memory } = this;
    this.#isOpen = true;
    this.#start = lineStart(line);
    memory.end = memory.position;
    memory.reserve(hashFieldLength);
    memory.end += hashFieldLength;
    writeText(memory, this.#start + beforePayload(line));
  }

  /** The payload is written, or has failed. */
  endPayload(): void {
    this.#isOpen = false;
  }

  finish(line: Pick<NewLine, "ts" | "type">, place: LinePlace): Sha256 {
    const { memory } = this;
    writeText(memory, afterPayload(line, place));
    const { buffer, position, end } = memory;
    const hash = sha256(buffer.subarray(position + hashFieldLength, end));
    buffer.write(this.#start + hashField(hash), position);
    return hash;
  }
}
