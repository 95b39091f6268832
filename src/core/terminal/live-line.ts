import type { CliContext, Output } from "../commands/context.ts";
import { screenOf } from "./screen.ts";

const everyMs = 100;

export interface LiveLine {
  /** Calls `line` only when the line is due to be redrawn. */
  show(line: (elapsedMs: number) => string): void;
  end(): void;
}

/** One line that is redrawn while long work runs and removed at the end. Prints nothing in a pipe. */
export function liveLine(output: Output, context: Pick<CliContext, "clock" | "env">, isWanted: boolean): LiveLine {
  const screen = screenOf(output, context.env);
  if (!isWanted || !screen.live) return { show: () => undefined, end: () => undefined };
  const { clock } = context;
  const start = clock.monotonic();
  let last = start;
  let isShown = false;
  return {
    show: (line) => {
      const now = clock.monotonic();
      if (now - last < everyMs) return;
      last = now;
      isShown = true;
      output.write(`\r\u001b[2K${screen.dim(line(now - start).slice(0, screen.width - 1))}`);
    },
    end: () => {
      if (isShown) output.write("\r\u001b[2K");
    },
  };
}
