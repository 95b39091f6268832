import type { Output } from "#core/commands";
import type { Screen } from "#core/terminal";
import { oneLine, row } from "#core/terminal";
import type { Clock } from "#core/values";
import type { ToolProgress } from "#effects";
import type { Event, EventKinds } from "#log";
import { BurnDown } from "./burn-down.ts";
import { EventRenderer } from "./event-renderer.ts";

/** Renders a request while it runs. In a terminal the role at work has a line of its own, which its answer replaces. */
export interface LiveStory {
  /** Whether a line of an event was written yet. */
  readonly hasLines: boolean;
  onEvent(event: Event): void;
  onText(role: string, delta: string): void;
  onProgress(call_id: string, progress: ToolProgress): void;
  end(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 90;

export function liveStory(output: Output, screen: Screen, clock: Clock, kinds: EventKinds): LiveStory {
  const renderer = new EventRenderer(screen, kinds);
  const budget = new BurnDown();
  let working: { role: string; since: number; said: string; call_id?: string } | undefined;
  const inLine = { ...screen, width: screen.width - "^C ".length }; // else an echoed ^C would wrap, and the line stay
  let frame = 0;
  let drawn = false;
  let hasLines = false;
  let cancel: (() => void) | undefined;

  const clear = () => {
    if (drawn) output.write("\r\u001b[2K");
    drawn = false;
  };
  const draw = () => {
    cancel = undefined;
    if (!working) return;
    clear();
    const seconds = ((clock.monotonic() - working.since) / 1000).toFixed(1);
    const sign = screen.unicode ? frames[frame++ % frames.length] : "-\\|/"[frame++ % 4];
    const right = budget.left(screen);
    const said = oneLine(working.said).slice(-Math.max(10, screen.width - 35 - right.length));
    output.write(row(inLine, { who: working.role, what: `${sign} ${seconds} s  ${screen.dim(said)}`, right }));
    drawn = true;
    cancel = clock.after(frameMs, draw);
  };
  const stop = () => {
    cancel?.();
    cancel = undefined;
    clear();
    working = undefined;
  };

  return {
    get hasLines() {
      return hasLines;
    },
    onEvent(event) {
      budget.add(event);
      const lines = renderer.render(event);
      if (event.type === "llm.response" || lines.length > 0) stop();
      for (const line of lines) output.write(`${line}\n`);
      if (lines.length > 0) hasLines = true;
      if (event.type === "llm.attempt" && working) working.said = ""; // the broken answer begins anew
      if (event.type === "llm.request" && screen.live) {
        stop();
        working = { role: event.payload.role, since: clock.monotonic(), said: "" };
        draw();
      }
      if (event.type === "tool.invoke" && screen.live) {
        const { call_id } = event.payload;
        working = { role: "", since: clock.monotonic(), said: "", call_id };
        cancel = clock.after(frameMs, draw); // most calls are over by then
      }
    },
    onText(role, delta) {
      if (working?.role === role) working.said += delta;
    },
    onProgress(call_id, { progress, total, message = "" }) {
      if (working?.call_id !== call_id) return;
      working.said = `${message} ${progress}${total === undefined ? "" : ` of ${total}`}`;
    },
    end: stop,
  };
}
