import { type Clock } from "../values/clock.ts";
import { ok, type Result } from "../values/result.ts";
import { daysMs } from "./days.ts";

/** The value of `--days` as a point in time; undefined without the option. */
export function expiryOf(days: string | undefined, clock: Clock): Result<number | undefined> {
  if (days === undefined) return ok(undefined);
  const ms = daysMs("--days", days, { above: 0 });
  return ms.ok ? ok(clock.now() + ms.value) : ms;
}
