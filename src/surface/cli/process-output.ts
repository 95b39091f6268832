import type { Output } from "#core/commands";

/** What an output needs of a stream of the process. */
interface Stream {
  write(text: string): unknown;
  on(event: "error", listener: (thrown: NodeJS.ErrnoException) => void): unknown;
  /** Whether more was written than its reader has taken; its end is announced by `drain`. */
  readonly writableNeedDrain?: boolean;
  once?(event: "drain", listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** An output of the process, and whether it took everything. */
export interface ProcessOutput extends Output {
  readonly closed: AbortSignal;
  /** Why it takes nothing any more; undefined also where its reader had simply seen enough. */
  failure(): Error | undefined;
}

/**
 * Work does not hang on who looks at it: `writ run … | head -1` closes the pipe when it has seen enough, and a disk may be full.
 * The rest of what is said is dropped, the command goes on to its end and ends with its own status.
 */
export function processOutput(stream: Stream): ProcessOutput {
  const closed = new AbortController();
  let failure: Error | undefined;
  let draining: Promise<void> | undefined;
  let taken: (() => void) | undefined;
  stream.on("error", (thrown) => {
    if (thrown.code !== "EPIPE") failure ??= thrown;
    closed.abort();
    taken?.();
  });
  return {
    write: (text) => void (closed.signal.aborted || stream.write(text)),
    drained() {
      if (!stream.writableNeedDrain || closed.signal.aborted) return undefined;
      draining ??= new Promise<void>((resolve) => {
        taken = resolve;
        stream.once?.("drain", resolve);
      }).finally(() => {
        draining = undefined;
      });
      return draining;
    },
    isTTY: stream.isTTY ?? false,
    columns: stream.columns ?? 100,
    closed: closed.signal,
    failure: () => failure,
  };
}
