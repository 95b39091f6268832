/** A repeatable source of decisions: the seed is the whole story of a simulation. */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** In [0, below). */
  int(below: number): number;
  between(low: number, high: number): number;
  hit(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  let state = (seed * 2654435761) >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    between: (low, high) => low + int(high - low + 1),
    hit: (probability) => next() < probability,
    pick: (items) => {
      const item = items[int(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
