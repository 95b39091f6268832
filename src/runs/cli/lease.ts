import { numberOption, type SureText, text } from "#core/commands";
import { ok, type Result } from "#core/values";

export const leaseOption: SureText = text(
  "seconds",
  "how long others wait before they take over from a process that fell silent",
  "30",
);

/** The lease duration of the option, in milliseconds. */
export function leaseMsOf({ lease }: { readonly lease: string }): Result<number> {
  const seconds = numberOption("--lease", lease, { what: "a number of seconds", isFraction: true, least: 0.1 });
  return seconds.ok ? ok(seconds.value * 1_000) : seconds;
}
