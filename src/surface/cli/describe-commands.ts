import type { Argument, Command, Option } from "commander";
import type { CliContext, CommandNode, Exits } from "#core/commands";
import { type CommandLine, wholeProgram } from "./run-command-line.ts";

export interface DescribedCommand {
  /** `session verify` */
  readonly name: string;
  /** The heading that its first word stands under in `writ --help`. */
  readonly group: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly DescribedTerm[];
  readonly options: readonly DescribedTerm[];
  /** What its help says behind the options: notes and examples. */
  readonly notes: string;
  /** What `--json` prints: a contract, or the document in a few words; undefined where it prints nothing, and of a group. */
  readonly json: string | undefined;
  /** What a status means here, beyond what it means for every command. */
  readonly exits: Exits;
}

export interface DescribedTerm {
  readonly term: string;
  readonly description: string;
  readonly default: string | undefined;
}

/** Every command as its own help describes it, groups before their members, and the options that all of them have. */
export async function describeCommands<Opened>(
  context: Omit<CliContext, "stdout">,
  line: CommandLine<Opened>,
): Promise<{ readonly global: readonly DescribedTerm[]; readonly commands: readonly DescribedCommand[] }> {
  let printed = "";
  const stdout = { write: (text: string) => void (printed += text), isTTY: false, columns: 100 };
  const program = await wholeProgram({ ...context, stdout }, line);
  const nodes = await Promise.all(line.commands.map(({ load }) => load()));
  const describe = (command: Command, path: readonly string[]): readonly DescribedCommand[] => {
    const row = rowAt(nodes, path);
    printed = "";
    command.outputHelp();
    const own: DescribedCommand = {
      name: path.join(" "),
      group: line.commands.find(({ name }) => name === path[0])?.group.replace(":", "") ?? "",
      usage: `writ ${path.join(" ")} ${command.usage()}`.trim(),
      description: command.description(),
      arguments: command.registeredArguments.map(argumentTerm),
      options: command.options.filter((option) => !option.hidden).map(optionTerm),
      notes: printed.slice(command.helpInformation().length).trim(),
      json: row?.json ?? undefined,
      exits: row?.exits ?? {},
    };
    return [own, ...command.commands.flatMap((member) => describe(member, [...path, member.name()]))];
  };
  return {
    global: program.options.map(optionTerm),
    commands: program.commands.flatMap((command) => describe(command, [command.name()])),
  };
}

/** The command that the words name; undefined for a group. */
function rowAt<Opened>(nodes: readonly CommandNode<Opened>[], [name, ...rest]: readonly string[]) {
  const node = nodes.find((each) => each.name === name);
  if (node === undefined || !("members" in node)) return node;
  return rowAt(node.members, rest);
}

function argumentTerm(argument: Argument): DescribedTerm {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return {
    term: argument.required ? `<${name}>` : `[${name}]`,
    description: argument.description,
    default: textOf(argument.defaultValue),
  };
}

function optionTerm(option: Option): DescribedTerm {
  return { term: option.flags, description: option.description, default: textOf(option.defaultValue) };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
}
