/** The command line: a file per command that parses, calls and prints. Decides nothing. */
export type { CliContext } from "./context.ts";
export { type DescribedCommand, type DescribedTerm, describeCommands } from "./describe-commands.ts";
export { runCli } from "./main.ts";
export { start } from "./start.ts";
