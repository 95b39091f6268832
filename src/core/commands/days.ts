import { ok, type Result } from "../values/result.ts";
import { numberOption } from "./number-option.ts";

const dayMs = 86_400_000;

/** What an option that takes days means, in milliseconds. More than a century is a slip, and would leave the calendar. */
export function daysMs(
  option: string,
  text: string,
  bounds: { readonly least: number } | { readonly above: number },
): Result<number> {
  const days = numberOption(option, text, {
    ...bounds,
    what: "a number of days",
    isFraction: true,
    most: 36_500,
    example: "90",
  });
  return days.ok ? ok(days.value * dayMs) : days;
}
