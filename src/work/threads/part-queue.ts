import type { StreamPart } from "./stream-part.ts";

/**
 * Parts as they come, for any number of readers: each sees them from the first on, also one that begins late. An answer whose
 * pieces came is not repeated as a whole, so that a program may write out every text.
 */
export class PartQueue {
  readonly #parts: StreamPart[] = [];
  #isOver = false;
  #isInPieces = false;
  #waiting: (() => void)[] = [];

  push(part: StreamPart): void {
    if (this.#isOver) return;
    if (part.type === "text") {
      const isRepeated = part.whole === true && this.#isInPieces;
      this.#isInPieces = part.whole !== true;
      if (isRepeated) return;
    }
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<StreamPart> {
    for (let next = 0; ; ) {
      const part = this.#parts[next];
      if (part) {
        next += 1;
        yield part;
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
