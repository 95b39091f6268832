import { type Sha256, sha256 } from "#core/values";
import { FixedText, putFixed } from "./fixed-text.ts";
import { hashFieldLength, type LinePlace, type NewLine } from "./line.ts";
import { type LineMemory, putAscii, putCount, writeText } from "./line-memory.ts";

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
  /** The actor of the line that was begun. */
  #actor: ActorText = actorTextOf("");
  /** Cached: many lines share a millisecond. */
  #ts = "";
  #time = new FixedText("");

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

  begin({ actor, id, parent_id }: Pick<NewLine, "actor" | "id" | "parent_id">): void {
    this.#isOpen = true;
    this.#beginAs(actor, id, noParent.room);
    if (parent_id === null) this.memory.end = putFixed(this.memory.view, noParent, this.memory.end);
    else writeText(this.memory, `","parent_id":${JSON.stringify(parent_id)},"payload":`);
  }

  /** Begins the line of a ledger entry, whose id is that of its event with the ledger's suffix. */
  beginEntry({ actor, id }: Pick<NewLine, "actor" | "id">, ledger: FixedText): void {
    const { memory } = this;
    this.#beginAs(actor, id, ledger.room + id.length + beforePayload.room);
    const { buffer, view } = memory;
    memory.end = putFixed(view, ledger, memory.end);
    memory.end = putAscii(buffer, id, memory.end);
    memory.end = putFixed(view, beforePayload, memory.end);
  }

  /** Writes up to the id, with room after it. */
  #beginAs(actor: string, id: string, room: number): void {
    const { memory } = this;
    this.#actor = actorTextOf(actor);
    memory.end = memory.position;
    memory.reserve(hashFieldLength + this.#actor.start.room + id.length + room);
    const at = putFixed(memory.view, this.#actor.start, memory.position + hashFieldLength);
    memory.end = putAscii(memory.buffer, id, at); // ids and times are Writ's own, hence ASCII
  }

  /** The payload is written, or has failed. */
  endPayload(): void {
    this.#isOpen = false;
  }

  /** `session` is the chain's `sessionField`. */
  finish({ ts, type, seq, prev_hash }: LineEnd, session: FixedText): Sha256 {
    const { memory } = this;
    const ending = endingOf(type);
    if (ts !== this.#ts) this.#rememberTime(ts);
    memory.reserve(mostBetween + prev_hash.length + session.room + this.#time.room + ending.room);
    const { buffer, view } = memory;
    let at = putFixed(view, prevHash, memory.end);
    at = putAscii(buffer, prev_hash, at);
    at = putFixed(view, beforeSeq, at);
    at = putCount(buffer, seq, at);
    at = putFixed(view, session, at);
    at = putFixed(view, this.#time, at);
    memory.end = putFixed(view, ending, at);
    return this.#seal();
  }

  #rememberTime(ts: string): void {
    this.#ts = ts;
    this.#time = new FixedText(`"ts":"${ts}","type":`);
  }

  #seal(): Sha256 {
    const { buffer, view, position, end } = this.memory;
    const start = position + hashFieldLength;
    const hash = sha256(new Uint8Array(view.buffer, view.byteOffset + start, end - start)); // `subarray` takes 100 ns more
    const at = putAscii(buffer, hash, putFixed(view, this.#actor.beforeHash, position));
    buffer[at] = quote;
    buffer[at + 1] = comma;
    return hash;
  }
}

type LineEnd = Pick<NewLine, "ts" | "type"> & Omit<LinePlace, "session_id">;

/** The same in all lines of a chain, which stores it: in a map of a thousand sessions each lookup was a cache miss. */
export function sessionField(session_id: string): FixedText {
  return new FixedText(`,"session_id":"${session_id}",`);
}

const quote = 0x22;
const comma = 0x2c;
const noParent = new FixedText('","parent_id":null,"payload":');
const beforePayload = new FixedText('","payload":');
const prevHash = new FixedText(',"prev_hash":"');
const beforeSeq = new FixedText('","schema_version":"v1","seq":');
const mostDigits = 16;
const mostBetween = prevHash.room + beforeSeq.room + mostDigits;

interface ActorText {
  /** Up to the id, without the hash. */
  readonly start: FixedText;
  readonly beforeHash: FixedText;
}

const actorTextOf = remembered<ActorText>((actor) => ({
  start: new FixedText(`{"actor":${JSON.stringify(actor)},"id":"`),
  beforeHash: new FixedText(`{"actor":${JSON.stringify(actor)},"hash":"`),
}));
const endingOf = remembered((type) => new FixedText(`${JSON.stringify(type)}}`));

const mostRemembered = 4_096;

/** Caches a value per name: names recur by the thousand. */
function remembered<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= mostRemembered) known.clear();
    const made = make(name);
    known.set(name, made);
    return made;
  };
}
