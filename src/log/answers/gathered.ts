/** What is shown of a column: the first of them, and how many there are. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly count: number;
}

/** One page of a column; the timeline has the rest. */
export const mostItems = 200;
/** A session of a million events may name a million things: those beyond are counted, and no longer kept apart. */
const mostKept = 10_000;

/** Things by their key in the order in which they first came. A further one of the same key changes the first. */
export class Gathered<T> {
  readonly #kept = new Map<string, T>();
  #beyond = 0;

  add(key: readonly unknown[], make: (before: T | undefined) => T): void {
    const name = JSON.stringify(key);
    const before = this.#kept.get(name);
    if (before === undefined && this.#kept.size >= mostKept) this.#beyond += 1;
    else this.#kept.set(name, make(before));
  }

  /** Changes what is there already. */
  change(key: readonly unknown[], changed: (before: T) => T): void {
    const name = JSON.stringify(key);
    const before = this.#kept.get(name);
    if (before !== undefined) this.#kept.set(name, changed(before));
  }

  all(): readonly T[] {
    return [...this.#kept.values()];
  }

  list(): Listed<T> {
    return { items: this.all().slice(0, mostItems), count: this.#kept.size + this.#beyond };
  }
}
