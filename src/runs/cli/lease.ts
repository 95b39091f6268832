import { type MaybeText, numberOption, text } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { RunTimes } from "../run-times.ts";

export const leaseOption: MaybeText = text(
  "seconds",
  "how long others wait before they take over from a process that fell silent (default: conductor.lease_seconds)",
);

/** The lease duration of the option, in milliseconds; without one that of writ.yaml. */
export function leaseMsOf(
  { lease }: { readonly lease?: string },
  { leaseMs }: Pick<RunTimes, "leaseMs">,
): Result<number> {
  if (lease === undefined) return ok(leaseMs);
  const seconds = numberOption("--lease", lease, { what: "a number of seconds", isFraction: true, least: 0.1 });
  return seconds.ok ? ok(seconds.value * 1_000) : seconds;
}
