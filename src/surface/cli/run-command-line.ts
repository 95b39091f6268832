import type { Command } from "commander";
import {
  type CliContext,
  CommandFailed,
  type CommandNode,
  type ExitStatus,
  exitStatus,
  type Openers,
  statusOfAbort,
} from "#core/commands";
import { helpAsOption, refuseUnknownHelp } from "./asked-help.ts";
import { bareProgram } from "./bare-program.ts";
import { conclude, type Usage } from "./conclude.ts";
import { guardedContext } from "./guarded-output.ts";
import { withStore } from "./store-of-line.ts";
import { unknownCommand } from "./unknown-command.ts";
import { wantedCommand } from "./wanted-command.ts";

/** What the list of all commands shows of one, and where the rest of it is. A test holds it against the command itself. */
export interface CommandEntry<Opened> {
  readonly name: string;
  /** The heading it stands under in `writ --help`. */
  readonly group: string;
  /** What stands behind its name there. */
  readonly terms: string;
  readonly summary: string;
  /** A file after its `--store` holds runs alone, beside the workspace's shared store. */
  readonly hasRunsFile: boolean;
  readonly load: () => Promise<CommandNode<Opened>>;
}

/** The commands, in the order of the help, and what opens the parts that they need. Both are loaded for the one that was asked for. */
export interface CommandLine<Opened> {
  readonly commands: readonly CommandEntry<Opened>[];
  readonly openers: () => Promise<Openers<Opened>>;
}

/** Runs one command line and answers its exit status. Never throws, whatever the command does. */
export async function runCommandLine<Opened>(
  argv: readonly string[],
  given: CliContext,
  line: CommandLine<Opened>,
): Promise<ExitStatus> {
  const context = guardedContext(given);
  const usage: Usage = { complaints: [], program: undefined };
  try {
    const program = bareProgram(context, usage.complaints);
    await addCommands(program, argv, context, line);
    usage.program = program;
    const words = helpAsOption(argv);
    refuseUnknownHelp(words, program);
    await program.parseAsync([...words], { from: "user" });
    return context.signal.aborted ? statusOfAbort(context.signal) : exitStatus.done;
  } catch (thrown) {
    return conclude(thrown, argv, context, usage);
  }
}

/** The commands that a line may mean: the one that it asks for, or the list of all. */
async function addCommands<Opened>(
  program: Command,
  argv: readonly string[],
  context: CliContext,
  line: CommandLine<Opened>,
): Promise<void> {
  const wanted = wantedCommand(argv);
  const asked = line.commands.filter(({ name }) => name === wanted);
  const inStore = withStore(
    context,
    argv,
    asked.some(({ hasRunsFile }) => hasRunsFile),
  );
  // Commander would answer `writ nonsense --help` with the general help, as if nonsense were a command.
  if (wanted !== undefined && wanted !== "help" && asked.length === 0)
    throw new CommandFailed(
      unknownCommand(
        wanted,
        ["writ"],
        line.commands.map(({ name }) => name),
      ),
    );
  // Without a command only help, version or complaints are left to print. Behind `--` stand words that are not looked at here.
  if (asked.length === 0 && !argv.includes("--")) listCommands(program, line.commands);
  else await loadCommands(program, inStore, asked.length > 0 ? { ...line, commands: asked } : line);
}

/** Every command with all that it has: for the reference. */
export async function wholeProgram<Opened>(context: CliContext, line: CommandLine<Opened>): Promise<Command> {
  const program = bareProgram(context, []);
  await loadCommands(program, context, line);
  return program;
}

async function loadCommands<Opened>(program: Command, context: CliContext, line: CommandLine<Opened>): Promise<void> {
  const openers = await line.openers();
  const { registerCommand } = await import("./register-command.ts");
  for (const { group, load } of line.commands) {
    const command = await load();
    program.commandsGroup(group);
    registerCommand(program, command, openers, context);
  }
}

/** The commands as `writ --help` lists them. */
function listCommands<Opened>(program: Command, commands: CommandLine<Opened>["commands"]): void {
  for (const { group, name, terms, summary } of commands) {
    const command = program.commandsGroup(group).command(name).description(summary);
    if (terms !== "") command.arguments(terms);
  }
}
