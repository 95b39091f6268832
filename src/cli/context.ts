import type { Clock, Random, Result } from "#base";

/** Where a command writes. */
export interface Output {
  write(text: string): void;
  /** A text that is kept or handed on as it is; absent where `write` changes nothing. */
  writeDocument?(text: string): void;
  /** A person looks at it, so colours and live lines make sense. */
  readonly isTTY: boolean;
  readonly columns: number;
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
  /** Asks the person at the keyboard; absent where there is none. */
  readonly ask?: (question: string) => Promise<string>;
}
