import type { Clock } from "../values/clock.ts";
import type { Random } from "../values/random.ts";
import type { Result } from "../values/result.ts";

/** Where a command writes. */
export interface Output {
  write(text: string): void;
  /** A text that is kept or handed on as it is; absent where `write` changes nothing. */
  writeDocument?(text: string): void;
  /** Aborts when nobody takes what is written any more: whoever only shows things may end. */
  readonly closed?: AbortSignal;
  /** A person looks at it, so colours and live lines make sense. */
  readonly isTTY: boolean;
  readonly columns: number;
}

/** For what only shows things: aborts when the command is to end, and when nobody reads what it says. */
export function whileRead({ signal, stdout }: Pick<CliContext, "signal" | "stdout">): AbortSignal {
  return stdout.closed ? AbortSignal.any([signal, stdout.closed]) : signal;
}

/** Everything a command takes from its surroundings, handed in, so that a test can be the surroundings. */
export interface CliContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the person presses Ctrl-C or the process is told to end. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** Everything on standard input; absent where nothing is handed in. */
  readonly readInput?: (maxBytes: number) => Promise<Result<string>>;
  /** The same in pieces, as they come, for what may be longer than the memory. */
  readonly input?: () => AsyncIterable<Uint8Array>;
  /** Asks the person at the keyboard; absent where there is none. */
  readonly ask?: (question: string) => Promise<string>;
}
