import type { Clock } from "../values/clock.ts";
import type { Random } from "../values/random.ts";
import type { Result } from "../values/result.ts";

/** Where a command writes. */
export interface Output {
  write(text: string): void;
  /** Writes a text unchanged, for output that is stored or piped; absent where `write` changes nothing. */
  writeDocument?(text: string): void;
  /**
   * Undefined when more may be written now. Otherwise it resolves when the reader has taken what was written, or has closed
   * the output: a command that writes much waits for it, so that memory does not hold what a slow reader has not read.
   */
  drained?(): Promise<void> | undefined;
  /** Aborts when the reader closes the output (EPIPE): a command that only prints may end. */
  readonly closed?: AbortSignal;
  /** True on a terminal: colours and live lines make sense. */
  readonly isTTY: boolean;
  readonly columns: number;
}

/** For commands that only print: aborts when the command is to end or when its output is closed. */
export function whileRead({ signal, stdout }: Pick<CliContext, "signal" | "stdout">): AbortSignal {
  return stdout.closed ? AbortSignal.any([signal, stdout.closed]) : signal;
}

/** A conversation at a terminal: lines of a person, and what a command says above the line that is being typed. */
export interface Dialogue {
  /** The lines as they are entered; they end when the input does. */
  lines(): AsyncIterable<string>;
  /** Shows text as it arrives, words of a line included. */
  write(text: string): void;
  /** Called on Ctrl-C, which does not end the command then. */
  onInterrupt(listener: () => void): void;
  close(): void;
}

/** Everything a command takes from its process. Passed in, so that a test can replace each part. */
export interface CliContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts on Ctrl-C and on a signal that ends the process. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** All of standard input; absent where there is none. */
  readonly readInput?: (maxBytes: number) => Promise<Result<string>>;
  /** Standard input in chunks as they arrive, for input that may not fit into memory. */
  readonly input?: () => AsyncIterable<Uint8Array>;
  /** Asks the user at the terminal; absent where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Talks with the user at the terminal, under this prompt; absent where there is none. */
  readonly dialogue?: (prompt: string) => Dialogue;
}
