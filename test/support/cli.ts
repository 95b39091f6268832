import { seededRandom, systemClock } from "#core/values";
import { runCli } from "#main";
import { bareEnvironment } from "./bare-environment.ts";
import type { CommandResult } from "./writ.ts";

/** The command line in this process, from its source: for tests of what a command says and does, many in a row. */
export async function cli(root: string, ...argv: readonly string[]): Promise<CommandResult> {
  const said = { stdout: "", stderr: "" };
  const output = (name: keyof typeof said) => ({
    write: (text: string) => void (said[name] += text),
    isTTY: false,
    columns: 120,
  });
  const status = await runCli(argv, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: bareEnvironment(),
    cwd: root,
    clock: systemClock,
    random: seededRandom(7),
    signal: new AbortController().signal,
    version: "test",
  });
  return { status, ...said };
}

export async function cliJson<T>(
  root: string,
  ...argv: readonly string[]
): Promise<{ readonly status: number | null; readonly json: T }> {
  const { status, stdout, stderr } = await cli(root, ...argv, "--json");
  if (stdout === "") throw new Error(stderr);
  return { status, json: JSON.parse(stdout) as T };
}
