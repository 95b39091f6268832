import type { CliContext, Output } from "#core/commands";
import { count, duration, liveLine, plural } from "#core/terminal";
import type { Progress } from "../verify/verify-workspace.ts";

/** While a long check runs: how far, how fast, how long still. */
export function progressLine(
  output: Output,
  context: Pick<CliContext, "clock" | "env">,
  isWanted: boolean,
): { show: (progress: Omit<Progress, "session_id">) => void; end: () => void } {
  const line = liveLine(output, context, isWanted);
  return {
    show: ({ sessions, totalSessions, events }) =>
      line.show((elapsed) => {
        const left = sessions > 0 ? `, ${duration((elapsed / sessions) * (totalSessions - sessions))} left` : "";
        return `verified ${count(sessions)} of ${plural(totalSessions, "session")}, ${count(events)} events, ${count(events / (elapsed / 1000))} a second${left}`;
      }),
    end: line.end,
  };
}
