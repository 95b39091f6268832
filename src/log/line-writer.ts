import { type Sha256, sha256 } from "#core/values";
import { FixedText, putFixed } from "./fixed-text.ts";
import { hashFieldLength, type LinePlace, type NewLine } from "./line.ts";
import { type LineMemory, putAscii, putCount, writeText } from "./line-memory.ts";

/**
 * Writes the next line of a chain where it is to lie: `begin`, then its payload behind `memory.end`, then `finish`, which
 * seals it. It is byte for byte what `sealLine` makes of the same. A line that is not finished was never begun.
 *
 *   {"actor":"log",  "hash":"…",  "id":"…","parent_id":null,"payload":  {…}  ,"prev_hash":"…",…,"type":"…"}
 *   └── start ────┘  └ room ───┘  └──────────────── begin ──────────┘        └──────── finish ────────────┘
 *
 * The start is written behind the room for the hash, so that everything that is hashed lies in one row; then it is put
 * before it.
 */
export class LineWriter {
  readonly memory: LineMemory;
  #isOpen = false;
  /** Who speaks in the line that was begun. */
  #actor: ActorText = actorTextOf("");
  /** Many lines are of the same millisecond. */
  #ts = "";
  #time = new FixedText("");

  constructor(memory: LineMemory) {
    this.memory = memory;
  }

  /** A line was begun and its payload is being read, which may call anybody; no other may begin meanwhile. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  begin({ actor, id, parent_id }: Pick<NewLine, "actor" | "id" | "parent_id">): void {
    this.#isOpen = true;
    this.#beginAs(actor, id, noParent.room);
    if (parent_id === null) this.memory.end = putFixed(this.memory.view, noParent, this.memory.end);
    else writeText(this.memory, `","parent_id":${JSON.stringify(parent_id)},"payload":`);
  }

  /** Begins the line of a ledger's entry, whose id is that of its event and what the ledger puts behind it. */
  beginEntry({ actor, id }: Pick<NewLine, "actor" | "id">, ledger: FixedText): void {
    const { memory } = this;
    this.#beginAs(actor, id, ledger.room + id.length + beforePayload.room);
    const { buffer, view } = memory;
    memory.end = putFixed(view, ledger, memory.end);
    memory.end = putAscii(buffer, id, memory.end);
    memory.end = putFixed(view, beforePayload, memory.end);
  }

  /** Through the id, with room behind it. */
  #beginAs(actor: string, id: string, room: number): void {
    const { memory } = this;
    this.#actor = actorTextOf(actor);
    memory.end = memory.position;
    memory.reserve(hashFieldLength + this.#actor.start.room + id.length + room);
    const at = putFixed(memory.view, this.#actor.start, memory.position + hashFieldLength);
    memory.end = putAscii(memory.buffer, id, at); // ids and times are Writ's own
  }

  /** The payload is written, or it never will be. */
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

/** The same in all lines of a chain, which keeps it: looked up among a thousand others, it is far away each time. */
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

/** For names that return by the thousand. */
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
