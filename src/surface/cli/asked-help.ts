import type { Command } from "commander";
import { CommandFailed } from "#core/commands";
import { unknownCommand } from "./unknown-command.ts";
import { allWords, commandWords } from "./wanted-command.ts";

/** `writ help session show` is `writ session show --help`: commander alone would show the help of the first word. */
export function helpAsOption(argv: readonly string[]): readonly string[] {
  if (allWords(argv)[0] !== "help") return argv;
  return [...commandWords(argv).filter((word) => word !== "help"), "--help"];
}

/** Commander answers `writ session shwo --help` with the help of `session`, as if that had been asked for. */
export function refuseUnknownHelp(argv: readonly string[], program: Command): void {
  if (!argv.some((word) => word === "--help" || word === "-h")) return;
  const path = ["writ"];
  let at = program;
  for (const word of commandWords(argv)) {
    if (at.commands.length === 0 || word === "help") return;
    const below = at.commands.find((command) => command.name() === word);
    if (!below)
      throw new CommandFailed(
        unknownCommand(
          word,
          path,
          at.commands.map((command) => command.name()),
        ),
      );
    path.push(word);
    at = below;
  }
}
