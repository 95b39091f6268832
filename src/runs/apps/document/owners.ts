import { lineDifference } from "./line-difference.ts";
import { linesOf, withoutBreak } from "./lines.ts";

/** Each line of the text, in one name. */
export function linesOwnedBy(text: string, owner: number): readonly number[] {
  return linesOf(text).map(() => owner);
}

/** Lines that are still there keep their owner, new ones get the one who changed the text. */
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
