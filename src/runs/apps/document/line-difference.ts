import { diffArrays } from "diff/lib/diff/array.js"; // the whole package would load 25 files

/** Lines `oldStart..oldEnd` became `newStart..newEnd`; the lines between two hunks are equal. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** With more edits the whole range counts as replaced: the search costs time and memory by their square. */
const maxEdits = 1_000;

/** The shortest edit script between two lists of lines (Myers 1986), without their common prefix and suffix. */
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
  const [oldTail, newTail] = [before.length - tail, after.length - tail];
  const changes = diffArrays(before.slice(head, oldTail), after.slice(head, newTail), { maxEditLength: maxEdits });
  if (!changes) return [{ oldStart: head, oldEnd: oldTail, newStart: head, newEnd: newTail }];
  const hunks: Hunk[] = [];
  let [oldStart, newStart] = [head, head];
  let [oldEnd, newEnd] = [head, head];
  for (const { added, removed, count } of [...changes, { added: false, removed: false, count: 0 }]) {
    if (removed) oldEnd += count;
    else if (added) newEnd += count;
    else {
      if (oldEnd > oldStart || newEnd > newStart) hunks.push({ oldStart, oldEnd, newStart, newEnd });
      oldStart = oldEnd += count;
      newStart = newEnd += count;
    }
  }
  return hunks;
}
