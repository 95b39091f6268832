import type { StreamPart } from "./stream-part.ts";

/** Parts as they come, for any number of readers: each sees them from the first on, also one that begins late. */
export class PartQueue {
  readonly #parts: StreamPart[] = [];
  #isOver = false;
  #waiting: (() => void)[] = [];

  push(part: StreamPart): void {
    if (this.#isOver) return;
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
