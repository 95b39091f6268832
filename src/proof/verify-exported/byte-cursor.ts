import { messageOf } from "#core/errors";

/** Bytes that come in pieces, with a window over those that were not taken yet. What is taken is forgotten. */
export class ByteCursor {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #pending: Buffer = Buffer.alloc(0);
  #isOver = false;
  #failure: string | undefined;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  get pending(): Buffer {
    return this.#pending;
  }

  /** Why nothing more comes, where that is not simply the end. */
  get failure(): string | undefined {
    return this.#failure;
  }

  take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }

  /** At least doubles the window, so that a long search copies each byte a few times and no more; false at the end. */
  async more(): Promise<boolean> {
    if (this.#isOver) return false;
    const pieces: Uint8Array[] = [this.#pending];
    const before = this.#pending.length;
    let length = before;
    while (length === before || length < 2 * before) {
      const piece = await this.#next();
      if (!piece) break;
      pieces.push(piece);
      length += piece.length;
    }
    if (length > before) this.#pending = Buffer.concat(pieces, length);
    return length > before;
  }

  /** Until so many bytes are at hand, or no more come. */
  async reach(length: number): Promise<void> {
    while (this.#pending.length < length && (await this.more()));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#pieces.return?.();
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const step = await this.#pieces.next();
      if (!step.done) return step.value;
    } catch (thrown) {
      this.#failure = messageOf(thrown);
    }
    this.#isOver = true;
    return undefined;
  }
}
