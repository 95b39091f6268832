/** The command line: a file per command that parses, calls and prints. Decides nothing. */
export type { CliContext } from "./context.ts";
export { runCli } from "./main.ts";
export { start } from "./start.ts";
