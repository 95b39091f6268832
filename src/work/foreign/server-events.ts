/** One event of a stream, with the very bytes that it came in. */
export interface ServerEvent {
  readonly bytes: Uint8Array;
  readonly event: string;
  /** Undefined where it has none: a comment, an empty line. */
  readonly data: string | undefined;
}

const [lf, cr] = [10, 13];
const decoder = new TextDecoder();

/** Cuts a stream of server-sent events into events, wherever its chunks begin and end. The bytes of all events together are the stream's. */
export class EventSplitter {
  #buffer = Buffer.alloc(0);
  #scanned = 0;
  #isLineEmpty = true;

  /** What is held until its event is whole. */
  get pending(): number {
    return this.#buffer.length;
  }

  push(chunk: Uint8Array): readonly ServerEvent[] {
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#buffer, chunk]);
    return this.#cut(false);
  }

  /** The rest of a stream that has ended. */
  end(): readonly ServerEvent[] {
    const events = this.#cut(true);
    if (this.#buffer.length === 0) return events;
    const rest = readEvent(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    return [...events, rest];
  }

  #cut(isOver: boolean): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    let begin = 0;
    let at = this.#scanned;
    while (at < this.#buffer.length) {
      const byte = this.#buffer[at];
      if (byte !== lf && byte !== cr) {
        this.#isLineEmpty = false;
        at += 1;
        continue;
      }
      // The second half of a line's end may be in the next chunk.
      if (byte === cr && at + 1 === this.#buffer.length && !isOver) break;
      at += byte === cr && this.#buffer[at + 1] === lf ? 2 : 1;
      if (this.#isLineEmpty) {
        events.push(readEvent(this.#buffer.subarray(begin, at)));
        begin = at;
      }
      this.#isLineEmpty = true;
    }
    this.#buffer = this.#buffer.subarray(begin);
    this.#scanned = at - begin;
    return events;
  }
}

function readEvent(bytes: Buffer): ServerEvent {
  const data: string[] = [];
  let event = "";
  for (const line of decoder.decode(bytes).split(/\r\n|\r|\n/)) {
    const [, field, value = ""] = /^(data|event)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") data.push(value);
    if (field === "event") event = value;
  }
  return { bytes: Uint8Array.from(bytes), event, data: data.length === 0 ? undefined : data.join("\n") };
}
