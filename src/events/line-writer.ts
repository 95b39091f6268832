import { type Sha256, sha256 } from "#base";
import { hashFieldLength, type LinePlace, type NewLine } from "./line.ts";
import { type LineMemory, writeAscii, writeBytes, writeCount, writeText } from "./line-memory.ts";

/**
 * Writes the next line of a chain where it is to lie: `begin`, then its payload behind `memory.end`, then `finish`, which
 * seals it. It is byte for byte what `sealLine` makes of the same. A line that is not finished was never begun.
 *
 *   {"actor":"log",  "hash":"…",  "id":"…","parent_id":null,"payload":  {…}  ,"prev_hash":"…",…,"type":"…"}
 *   └── start ────┘  └ room ───┘  └──────────────── begin ──────────┘        └──────── finish ────────────┘
 *
 * The start is written behind the room for the hash, so that everything that is hashed lies in one row; then it moves
 * before it.
 */
export class LineWriter {
  readonly memory: LineMemory;
  #startLength = 0;
  /** Many lines are of the same millisecond. */
  #ts = "";
  #tsField = Buffer.alloc(0);

  constructor(memory: LineMemory) {
    this.memory = memory;
  }

  begin({ actor, id, parent_id }: Pick<NewLine, "actor" | "id" | "parent_id">): void {
    const { memory } = this;
    const start = startOf(actor);
    memory.end = memory.position;
    memory.reserve(hashFieldLength + start.length + 512);
    memory.end = memory.position + hashFieldLength;
    this.#startLength = start.length;
    writeBytes(memory, start);
    writeBytes(memory, idField);
    writeAscii(memory, id); // ids and times are Writ's own
    if (parent_id === null) return writeBytes(memory, noParent);
    writeText(memory, `","parent_id":${JSON.stringify(parent_id)},"payload":`);
  }

  finish({ ts, type }: Pick<NewLine, "ts" | "type">, { session_id, seq, prev_hash }: LinePlace): Sha256 {
    const { memory } = this;
    writeBytes(memory, prevHashField);
    writeAscii(memory, prev_hash);
    writeBytes(memory, seqField);
    writeCount(memory, seq);
    writeBytes(memory, sessionOf(session_id));
    if (ts !== this.#ts) this.#rememberTime(ts);
    writeBytes(memory, this.#tsField);
    writeBytes(memory, endOf(type));
    return this.#seal();
  }

  #rememberTime(ts: string): void {
    this.#ts = ts;
    this.#tsField = Buffer.from(`"ts":"${ts}","type":`);
  }

  #seal(): Sha256 {
    const { memory } = this;
    const { buffer, position, end } = memory;
    const from = position + hashFieldLength;
    const hash = sha256(buffer.subarray(from, end));
    memory.end = position;
    buffer.copyWithin(position, from, from + this.#startLength);
    memory.end += this.#startLength;
    writeBytes(memory, hashStart);
    writeAscii(memory, hash);
    writeBytes(memory, hashEnd);
    memory.end = end;
    return hash;
  }
}

const idField = Buffer.from('"id":"');
const noParent = Buffer.from('","parent_id":null,"payload":');
const prevHashField = Buffer.from(',"prev_hash":"');
const seqField = Buffer.from('","schema_version":"v1","seq":');
const hashStart = Buffer.from('"hash":"');
const hashEnd = Buffer.from('",');

const startOf = remembered((actor) => `{"actor":${JSON.stringify(actor)},`);
const sessionOf = remembered((session_id) => `,"session_id":"${session_id}",`);
const endOf = remembered((type) => `${JSON.stringify(type)}}`);

const mostRemembered = 4_096;

/** Names that return by the thousand. */
function remembered(write: (name: string) => string): (name: string) => Buffer {
  const known = new Map<string, Buffer>();
  return (name) => {
    let bytes = known.get(name);
    if (bytes !== undefined) return bytes;
    bytes = Buffer.from(write(name));
    if (known.size >= mostRemembered) known.clear();
    known.set(name, bytes);
    return bytes;
  };
}
