import { domainError, err, ok, type Result } from "#base";

const dayMs = 86_400_000;
const most = 36_500;

/** What an option that takes days means, in milliseconds. More than a century is a slip, and would leave the calendar. */
export function daysMs(option: string, text: string, least = 0): Result<number> {
  const count = Number(text);
  const isEnough = least > 0 ? count >= least : count > 0;
  if (isEnough && count <= most) return ok(count * dayMs);
  const bounds = least > 0 ? `from ${least} to ${most}` : `above 0, at most ${most}`;
  return err(
    domainError(
      "MALFORMED_INPUT",
      `${option} takes a number of days ${bounds}, not ${JSON.stringify(text)}; such as ${option} 90`,
    ),
  );
}
