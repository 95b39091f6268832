import { lineDifference } from "./line-difference.ts";
import { linesOf, withoutBreak } from "./lines.ts";

/** One owner for each line of the text. */
export function linesOwnedBy(text: string, owner: number): readonly number[] {
  return linesOf(text).map(() => owner);
}

/** Unchanged lines keep their owner; new lines get the author of the change. */
export function carryOwners(
  before: string,
  after: string,
  owners: readonly number[],
  changer: number,
): readonly number[] {
  const [old, fresh] = [linesOf(before).map(withoutBreak), linesOf(after).map(withoutBreak)];
  const carried: number[] = [];
  let at = 0;
  for (const hunk of lineDifference(old, fresh)) {
    carried.push(...owners.slice(at, hunk.oldStart));
    for (let line = hunk.newStart; line < hunk.newEnd; line += 1) carried.push(changer);
    at = hunk.oldEnd;
  }
  carried.push(...owners.slice(at));
  return carried;
}
