/** One visit of a reviewing phase that came to its end. */
export interface ReviewedVisit {
  readonly generation: number;
  readonly phase: string;
  readonly grade: number;
  readonly fingerprints: readonly string[];
}

/** Whether the findings go back and forth: the last are those of some turn before, but not of the one just before. */
export function oscillates(history: readonly ReviewedVisit[], window: number): boolean {
  const last = history.at(-1);
  if (!last || last.fingerprints.length === 0) return false;
  const same = history.filter(({ phase }) => phase === last.phase).slice(-window - 1, -1);
  const before = same.at(-1);
  if (!before || equal(before.fingerprints, last.fingerprints)) return false;
  return same.slice(0, -1).some(({ fingerprints }) => equal(fingerprints, last.fingerprints));
}

/** Whether the grade fell since the last time in the same phase. */
export function regressed(history: readonly ReviewedVisit[]): boolean {
  const last = history.at(-1);
  const before = history.slice(0, -1).findLast(({ phase }) => phase === last?.phase);
  return last !== undefined && before !== undefined && last.grade < before.grade;
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
