import type { CliContext, ExitStatus } from "#core/commands";
import { type CommandLine, runCommandLine } from "../surface/cli/run-command-line.ts";
import { startProcess } from "../surface/cli/start-process.ts";
import type { Opened } from "./opened.ts";
import { commandTable } from "./tables/commands.ts";

export const commandLine: CommandLine<Opened> = {
  commands: commandTable,
  openers: async () => (await import("./openers.ts")).openers,
};

/** What `bin/writ.js` calls. */
export function start(argv: readonly string[]): Promise<never> {
  return startProcess(argv, commandLine);
}

/** The same in the surroundings that a caller hands in: for tests, and for programs that run many lines. */
export function runCli(argv: readonly string[], context: CliContext): Promise<ExitStatus> {
  return runCommandLine(argv, context, commandLine);
}
