import { bareEnvironment } from "./bare-environment.ts";
import { Writ } from "./warm-writ.ts";
import { type CommandOptions, type CommandResult, repository } from "./writ.ts";

const resident = new Writ();
/** One command after the other: they share a folder and an environment. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The built command line in one process beside the test's, for all commands of the files that share this worker: where what a command
 * does is asked, and not how its process begins and ends.
 */
export function writ(args: readonly string[], options: Omit<CommandOptions, "uid"> = {}): Promise<CommandResult> {
  const line = { argv: args, cwd: options.cwd ?? repository, env: { ...bareEnvironment(), ...options.env } };
  const ran = last.then(() => resident.run(line));
  last = ran.catch(() => undefined); // told to whoever asked for it
  return ran;
}

/** Runs with `--json` and insists that stdout is exactly one JSON document. */
export async function writJson<T>(
  args: readonly string[],
  options: Omit<CommandOptions, "uid"> = {},
): Promise<CommandResult & { readonly json: T }> {
  const result = await writ([...args, "--json"], options);
  return { ...result, json: JSON.parse(result.stdout) as T };
}
