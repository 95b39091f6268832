/** In shorter words a letter makes another word: "now" and "not". */
const leastLength = 5;

/** Whether two words differ by one letter, or by two that changed places. A digit is never a slip. */
export function isSlip(one: string, other: string): boolean {
  if (one.length < leastLength || other.length < leastLength || /\p{N}/u.test(one + other)) return false;
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  let [oneEnd, otherEnd] = [one.length, other.length];
  while (oneEnd > from && otherEnd > from && one[oneEnd - 1] === other[otherEnd - 1]) {
    oneEnd -= 1;
    otherEnd -= 1;
  }
  const [left, right] = [one.slice(from, oneEnd), other.slice(from, otherEnd)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
