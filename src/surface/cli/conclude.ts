import { type Command, CommanderError } from "commander";
import {
  type CliContext,
  CommandEnded,
  CommandFailed,
  type ExitStatus,
  exitStatus,
  exitStatusOf,
  statusOfAbort,
} from "#core/commands";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { explainError, screenOf, shellWord } from "#core/terminal";
import { commandWords } from "./wanted-command.ts";

/** What commander had to say about a line that it could not read. */
export interface Usage {
  readonly complaints: string[];
  program: Command | undefined;
}

/** The end of every command line that did not simply succeed: says what happened, answers the status. */
export function conclude(
  thrown: unknown,
  argv: readonly string[],
  context: CliContext,
  usage: Readonly<Usage> = { complaints: [], program: undefined },
): ExitStatus {
  if (thrown instanceof CommandEnded) return context.signal.aborted ? statusOfAbort(context.signal) : thrown.status;
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitStatus.done;
  // A command group without its subcommand has printed its help; there is nothing to add to it.
  if (thrown instanceof CommanderError && thrown.code === "commander.help") return exitStatus.usage;
  const error = errorOf(thrown, argv, usage);
  const debug = argv.includes("--debug");
  const asked = ["writ", ...argv.map(withoutPassword).map(shellWord)].join(" ");
  context.stderr.write(explainError(error, { asked, screen: screenOf(context.stderr, context.env), debug }));
  if (argv.includes("--json")) {
    const { kind, code, message, retryable, details } = error;
    context.stdout.write(`${JSON.stringify({ error: { kind, code, message, retryable, details } }, null, 2)}\n`);
  }
  return context.signal.aborted ? statusOfAbort(context.signal) : exitStatusOf(error);
}

function errorOf(thrown: unknown, argv: readonly string[], usage: Readonly<Usage>): DomainError {
  if (thrown instanceof CommandFailed) return thrown.error;
  if (thrown instanceof CommanderError) return usageError(thrown, argv, usage);
  return domainError("INTERNAL", `something went wrong inside Writ: ${messageOf(thrown)}`, { cause: thrown });
}

function usageError(
  thrown: CommanderError,
  argv: readonly string[],
  { complaints, program }: Readonly<Usage>,
): DomainError {
  const text = (complaints.join("").trim() || thrown.message).replace(/^error: /, "");
  const [message = text, ...rest] = text.split("\n");
  const meant = rest.join(" ").replace(/^\(Did (.*)\)$/, "did $1");
  const help = `\`${helpFor(argv, program)}\` shows what there is`;
  const isSplit = thrown.code === "commander.excessArguments";
  const eater = thrown.code === "commander.missingArgument" ? eaterOf(argv, program) : undefined;
  const hint = isSplit
    ? `words that belong together stand in quotes; ${help}`
    : eater === undefined
      ? meant || help
      : `${eater} takes every word behind it: what is asked stands before it, or behind \`--\`; ${help}`;
  return domainError("MALFORMED_INPUT", message, { details: { hint } });
}

/** The option of a line that took the words behind it, which were meant for the command. */
function eaterOf(argv: readonly string[], program: Command | undefined): string | undefined {
  const options = innermost(argv, program).at(-1)?.options ?? [];
  return options.find(({ variadic, long }) => variadic && argv.includes(long ?? ""))?.long ?? undefined;
}

/** The help of the innermost command that a line got to. */
function helpFor(argv: readonly string[], program: Command | undefined): string {
  return ["writ", ...innermost(argv, program).map((command) => command.name()), "--help"].join(" ");
}

/** The commands that the words of a line name, each below the one before. */
function innermost(argv: readonly string[], program: Command | undefined): readonly Command[] {
  const path: Command[] = [];
  let at = program;
  for (const word of commandWords(argv)) {
    at = at?.commands.find((command) => command.name() === word);
    if (!at) break;
    path.push(at);
  }
  return path;
}

/** A terminal is looked over and logged: a password in an address is not repeated there. */
function withoutPassword(word: string): string {
  return word.replace(/(:\/\/[^\s:@/]*:)(?!\$\{secret:)[^@]*@/, "$1…@");
}
