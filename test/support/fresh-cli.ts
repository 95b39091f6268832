import { type Clock, ok, systemClock, systemRandom } from "#core/values";
import { runCli } from "#main";

export interface CliSaid {
  readonly status: number;
  readonly text: string;
  readonly errors: string;
}

interface CliOptions {
  readonly cwd: string;
  /** What is piped in. */
  readonly input?: string;
  readonly clock?: Clock;
}

/** The command line in this process, with ids of its own every time: for workspaces in which one command follows another. */
export function cli(cwd: string, ...argv: readonly string[]): Promise<CliSaid> {
  return cliWith({ cwd }, ...argv);
}

export async function cliWith(
  { cwd, input, clock = systemClock }: CliOptions,
  ...argv: readonly string[]
): Promise<CliSaid> {
  const out: string[] = [];
  const errors: string[] = [];
  const stream = (lines: string[]) => ({ write: (text: string) => void lines.push(text), isTTY: false, columns: 100 });
  const status = await runCli(argv, {
    stdout: stream(out),
    stderr: stream(errors),
    env: {},
    cwd,
    clock,
    random: systemRandom,
    signal: new AbortController().signal,
    version: "test",
    ...(input === undefined ? {} : { readInput: () => Promise.resolve(ok(input)) }),
  });
  return { status, text: out.join(""), errors: errors.join("") };
}
