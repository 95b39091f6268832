import { systemClock, systemRandom } from "#base";
import { runCli } from "#cli";

/** The command line in this process, with ids of its own every time: for workspaces in which one command follows another. */
export async function cli(cwd: string, ...argv: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const stream = (lines: string[]) => ({ write: (text: string) => void lines.push(text), isTTY: false, columns: 100 });
  const status = await runCli(argv, {
    stdout: stream(out),
    stderr: stream(errors),
    env: {},
    cwd,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    version: "test",
  });
  return { status, text: out.join(""), errors: errors.join("") };
}
