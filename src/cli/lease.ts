import { ok, type Result } from "#base";
import { type SureText, text } from "./command.ts";
import { numberOption } from "./number-option.ts";

export const leaseOption: SureText = text(
  "seconds",
  "how long others wait before they take over from a process that fell silent",
  "30",
);

/** The time of a lease in milliseconds, as the option says it. */
export function leaseMsOf({ lease }: { readonly lease: string }): Result<number> {
  const seconds = numberOption("--lease", lease, { what: "a number of seconds", isFraction: true, least: 0.1 });
  return seconds.ok ? ok(seconds.value * 1_000) : seconds;
}
