/** The heights of the timeline, in pixels: they stand here and in session.css. */
export const rowPx = 28;
export const foldPx = 24;

/** A wait that is longer is folded into one line instead of stretching the picture. */
export const idleMs = 60_000;

export interface Fold {
  /** The row before which nothing happened. */
  readonly index: number;
  readonly ms: number;
}

/**
 * Where each row of a timeline lies. All rows are equally high but those behind a fold, so the place of row 99,999 is
 * known without one of them being measured.
 */
export class RowLayout {
  readonly #folds: readonly Fold[];
  readonly count: number;

  constructor(count: number, folds: readonly Fold[]) {
    this.count = count;
    this.#folds = folds;
  }

  get height(): number {
    return this.top(this.count);
  }

  top(index: number): number {
    return index * rowPx + this.#foldsBefore(index) * foldPx;
  }

  /** How long nothing happened before this row; 0 where it follows soon. */
  foldedMs(index: number): number {
    const fold = this.#folds[this.#foldsBefore(index)];
    return fold?.index === index ? fold.ms : 0;
  }

  /** The row that covers a height. */
  indexAt(px: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= px) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #foldsBefore(index: number): number {
    let [low, high] = [0, this.#folds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#folds[middle]?.index ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
