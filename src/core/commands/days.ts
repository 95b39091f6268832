import { ok, type Result } from "../values/result.ts";
import { numberOption } from "./number-option.ts";

const dayMs = 86_400_000;

/**
 * The value of an option in days, in milliseconds. More than a century is a typing error and outside the calendar's
 * range.
 */
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
