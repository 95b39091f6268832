import type { Command } from "commander";
import type { Result } from "#base";
import type { OpenKernel } from "#compose";
import { type Answer, act, type Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import { type KernelOptions, withKernel } from "../../with-kernel.ts";

/** A command below `writ runs` that needs the kernel, with runs in it, and nothing else. */
export function subCommand<Options extends KernelOptions>(
  runs: Command,
  context: CliContext,
  command: {
    readonly name: string;
    readonly description: string;
    /** Without `$ writ runs`; the command by its name unless told. */
    readonly examples?: readonly string[];
    readonly work: (open: OpenKernel, invocation: Invocation<Options>) => Promise<Result<Answer>>;
  },
): Command {
  const { examples = [command.name.replace("<run>", "7qk2")] } = command;
  const shown = examples.map((example) => `  $ writ runs ${example}\n`).join("");
  const made = runs.command(command.name);
  for (const argument of made.registeredArguments)
    if (argument.name() === "run") argument.description = "its id, any part of it that only one run has, or last";
  return made
    .description(command.description)
    .addHelpText("after", `\nExamples:\n${shown}`)
    .action(
      act<Options>(context, (invocation) =>
        withKernel(invocation, (open) => command.work(open, invocation), { existing: true }),
      ),
    );
}
