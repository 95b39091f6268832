import { type Clock, domainError, err, ok, type Result } from "#base";

const dayMs = 86_400_000;

/** What `--days` means, as a time; undefined when nobody said. */
export function expiryOf(days: string | undefined, clock: Clock): Result<number | undefined> {
  if (days === undefined) return ok(undefined);
  const count = Number(days);
  if (!Number.isFinite(count) || count <= 0 || count > 36_500)
    return err(domainError("MALFORMED_INPUT", `--days takes a number of days above 0, not ${JSON.stringify(days)}`));
  return ok(clock.now() + count * dayMs);
}
