import { classOf, digit, lower, upper } from "./characters.ts";

/** Whether letters and digits, or upper and lower case, alternate as in no word and no identifier. */
export function isRandomLooking(text: string, start: number, end: number): boolean {
  let turns = 0;
  let switches = 0;
  let seen = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const bits = classOf(text.charCodeAt(at)) & (upper | lower | digit);
    seen |= bits;
    if (bits !== 0 && previous !== 0 && bits !== previous) {
      switches++;
      if (((bits | previous) & digit) !== 0) turns++;
    }
    previous = bits;
  }
  return (seen & digit) !== 0 && (turns >= 3 || switches >= 6);
}
