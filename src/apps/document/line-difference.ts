/** Lines `oldStart..oldEnd` became `newStart..newEnd`; what is between two hunks is the same in both. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Beyond so many edits a stretch counts as replaced whole: the search costs time and memory by their square. */
const maxEdits = 1_000;

/** The shortest way from one list of lines to another (Myers 1986), after what they share at both ends is set aside. */
export function lineDifference(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const kept = keptLines(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const hunks: Hunk[] = [];
  let [oldStart, newStart] = [head, head];
  for (const [oldAt, newAt] of [...kept, [before.length - tail - head, after.length - tail - head]] as const) {
    const [oldEnd, newEnd] = [oldAt + head, newAt + head];
    if (oldEnd > oldStart || newEnd > newStart) hunks.push({ oldStart, oldEnd, newStart, newEnd });
    [oldStart, newStart] = [oldEnd + 1, newEnd + 1];
  }
  return hunks;
}

/** Pairs of lines that stay, by index in each list. */
function keptLines(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  const limit = Math.min(maxEdits, before.length + after.length);
  const middle = limit + 1;
  /** How far each diagonal reaches with the edits so far; diagonal 0 is at `middle`. */
  const reach = new Int32Array(2 * limit + 3);
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    trail.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = middle + diagonal;
      const left = reach[at - 1] ?? 0;
      const above = reach[at + 1] ?? 0;
      let x = goesDown(diagonal, edits, left, above) ? above : left + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach[at] = x;
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trail, before.length, after.length);
    }
  }
  return [];
}

function walkBack(
  trail: readonly Int32Array[],
  oldEnd: number,
  newEnd: number,
): readonly (readonly [number, number])[] {
  const kept: [number, number][] = [];
  let [x, y] = [oldEnd, newEnd];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const diagonal = x - y;
    const reach = trail[edits];
    const left = reach?.[diagonal + edits] ?? 0;
    const above = reach?.[diagonal + edits + 2] ?? 0;
    const down = goesDown(diagonal, edits, left, above);
    const fromX = edits === 0 ? 0 : down ? above : left;
    const fromY = edits === 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      kept.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return kept.reverse();
}

function goesDown(diagonal: number, edits: number, left: number, above: number): boolean {
  return diagonal === -edits || (diagonal !== edits && left < above);
}
