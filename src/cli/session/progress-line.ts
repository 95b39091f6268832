import type { Progress } from "#events";
import type { CliContext, Output } from "../context.ts";
import { screenOf } from "../output/screen.ts";
import { count, duration, plural } from "./format.ts";

const everyMs = 100;

/** One line that is written over while a long check runs: how far, how fast, how long still. Silent in a pipe. */
export function progressLine(
  output: Output,
  context: Pick<CliContext, "clock" | "env">,
  isWanted: boolean,
): { show: (progress: Omit<Progress, "session_id">) => void; end: () => void } {
  const screen = screenOf(output, context.env);
  if (!isWanted || !screen.live) return { show: () => undefined, end: () => undefined };
  const { clock } = context;
  const start = clock.monotonic();
  let last = start;
  let isShown = false;
  return {
    show: ({ sessions, totalSessions, events }) => {
      const now = clock.monotonic();
      if (now - last < everyMs) return;
      last = now;
      isShown = true;
      const seconds = (now - start) / 1000;
      const left = sessions > 0 ? `, ${duration(((now - start) / sessions) * (totalSessions - sessions))} left` : "";
      const line = `verified ${count(sessions)} of ${plural(totalSessions, "session")}, ${count(events)} events, ${count(events / seconds)} a second${left}`;
      output.write(`\r\u001b[2K${screen.dim(line.slice(0, screen.width - 1))}`);
    },
    end: () => {
      if (isShown) output.write("\r\u001b[2K");
    },
  };
}
