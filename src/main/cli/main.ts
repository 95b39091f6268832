import { Command, CommanderError } from "commander";
import type { CliContext } from "#core/commands";
import { CommandEnded, CommandFailed, type ExitStatus, exitStatus, exitStatusOf, statusOfAbort } from "#core/commands";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { explainError, screenOf, shellWord } from "#core/terminal";
import { guardedContext } from "../../surface/cli/guarded-output.ts";
import { type CommandEntry, commandTable } from "../tables/commands.ts";
import { helpAsOption, refuseUnknownHelp } from "./asked-help.ts";
import { withStore } from "./store-of-line.ts";
import { unknownCommand } from "./unknown-command.ts";
import { commandWords, wantedCommand } from "./wanted-command.ts";

/** What commander had to say about a line that it could not read. */
interface Usage {
  readonly complaints: string[];
  program: Command | undefined;
}

/** Runs one command line and answers its exit status. Never throws, whatever the command does. */
export async function runCli(argv: readonly string[], given: CliContext): Promise<ExitStatus> {
  const context = guardedContext(given);
  const usage: Usage = { complaints: [], program: undefined };
  try {
    const program = await buildProgram(argv, withStore(context, argv), usage.complaints);
    usage.program = program;
    const line = helpAsOption(argv);
    refuseUnknownHelp(line, program);
    await program.parseAsync([...line], { from: "user" });
    return context.signal.aborted ? statusOfAbort(context.signal) : exitStatus.done;
  } catch (thrown) {
    return conclude(thrown, argv, context, usage);
  }
}

/** The commands that a line may mean: the one that it asks for, or the list of all. */
async function buildProgram(argv: readonly string[], context: CliContext, usage: string[]): Promise<Command> {
  const program = bareProgram(context, usage);
  const wanted = wantedCommand(argv);
  const asked = commandTable.filter(({ name }) => name === wanted);
  // Commander would answer `writ nonsense --help` with the general help, as if nonsense were a command.
  if (wanted !== undefined && wanted !== "help" && asked.length === 0)
    throw new CommandFailed(
      unknownCommand(
        wanted,
        ["writ"],
        commandTable.map(({ name }) => name),
      ),
    );
  // Without a command only help, version or complaints are left to print. Behind `--` stand words that are not looked at here.
  if (asked.length === 0 && !argv.includes("--")) listCommands(program);
  else await loadCommands(program, asked.length > 0 ? asked : commandTable, context);
  return program;
}

/** Every command with all that it has: for the reference. */
export async function wholeProgram(context: CliContext): Promise<Command> {
  const program = bareProgram(context, []);
  await loadCommands(program, commandTable, context);
  return program;
}

async function loadCommands(program: Command, entries: readonly CommandEntry[], context: CliContext): Promise<void> {
  const { openers } = await import("./openers.ts");
  const { registerCommand } = await import("../../surface/cli/register-command.ts");
  for (const { group, load } of entries) {
    const command = await load();
    program.commandsGroup(group);
    registerCommand(program, command, openers, context);
  }
}

/** The commands as `writ --help` lists them. */
function listCommands(program: Command): void {
  for (const { group, name, terms, summary } of commandTable) {
    const command = program.commandsGroup(group).command(name).description(summary);
    if (terms !== "") command.arguments(terms);
  }
}

function bareProgram(context: CliContext, usage: string[]): Command {
  return new Command("writ")
    .description(
      "A governed runtime for AI agents: nothing acts without a work order, and whatever happened can be replayed, verified and explained.",
    )
    .option("--root <dir>", "the workspace (default: the nearest parent folder with a writ.yaml)")
    .option("--store <where>", "postgres://… or sqlite:FILE, instead of the `store` in writ.yaml")
    .option("--json", "one JSON document on stdout, nothing else there")
    .option("--debug", "show stack traces")
    .version(context.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      helpWidth: Math.min(context.stdout.columns, 100),
    })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // Complaints are kept until the end and told once, in the house's form; help that was not asked for goes out at once.
      writeErr: (text) => context.stderr.write(text),
      outputError: (text) => usage.push(text),
    })
    .addHelpText("after", examples)
    .exitOverride();
}

const examples = `
Examples:
  $ writ init demo                      make a workspace
  $ writ run "greet Ada" --root demo    a first request: no key, no network
  $ writ doctor --root demo             what works on this machine
  $ writ config show --root demo        what is in force, and why
  $ writ schema list                    the contracts of everything

Help for one command: writ help COMMAND
Files and folders that a command line names are looked for from the current folder, also with --root.
Exit status:
  0  done                 1  failed                   2  wrong usage or unreadable input
  3  refused by a gate    4  waiting for a person   130  ended by Ctrl-C
`;

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
  const hint = isSplit ? `words that belong together stand in quotes; ${help}` : meant || help;
  return domainError("MALFORMED_INPUT", message, { details: { hint } });
}

/** The help of the innermost command that a line got to. */
function helpFor(argv: readonly string[], program: Command | undefined): string {
  const path = ["writ"];
  let at = program;
  for (const word of commandWords(argv)) {
    at = at?.commands.find((command) => command.name() === word);
    if (!at) break;
    path.push(word);
  }
  return [...path, "--help"].join(" ");
}

/** A terminal is looked over and logged: a password in an address is not repeated there. */
function withoutPassword(word: string): string {
  return word.replace(/(:\/\/[^\s:@/]*:)(?!\$\{secret:)[^@]*@/, "$1…@");
}
