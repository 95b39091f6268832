import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "#core/values";

export function stream(child: ChildProcess, index: number): Readable {
  const found = child.stdio[index] as Readable;
  found.on("error", () => undefined); // a sandbox that died closes its channels; the status channel reports its end
  return found;
}

export interface Status {
  /** The exit code once pid 1 was reaped; undefined when bubblewrap ended without one. */
  readonly exit: Promise<number | undefined>;
  /** Pid 1 of the sandbox, in the pid namespace of this machine; undefined where the builder does not report it. */
  readonly childPid: Promise<number | undefined>;
}

/**
 * bubblewrap reports an exit code only after it has waited for pid 1, and the kernel lets pid 1 be waited for only after
 * everything else in its namespace is gone: from then on no process writes into the layer.
 */
export function watchStatus(from: Readable): Status {
  let text = "";
  const reported = (what: RegExp) =>
    new Promise<number | undefined>((resolve) => {
      from.on("data", () => {
        const found = what.exec(text)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      from.once("close", () => resolve(undefined));
    });
  from.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { exit: reported(/"exit-code": (\d+)/), childPid: reported(/"child-pid": (\d+)/) };
}

/** Lines of the holder; undefined when it ended, or said nothing for too long. */
export function lines(from: Readable, clock: Clock, withinMs: number): { next(): Promise<string | undefined> } {
  let text = "";
  const state = { over: false };
  let wake = () => {};
  from.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    wake();
  });
  for (const event of ["end", "close"])
    from.once(event, () => {
      state.over = true;
      wake();
    });
  return {
    async next() {
      const late = { yet: false };
      const cancel = clock.after(withinMs, () => {
        late.yet = true;
        wake();
      });
      while (!text.includes("\n") && !state.over && !late.yet) await new Promise<void>((resolve) => (wake = resolve));
      cancel();
      const at = text.indexOf("\n");
      if (at < 0) return undefined;
      const line = text.slice(0, at);
      text = text.slice(at + 1);
      return line;
    },
  };
}
