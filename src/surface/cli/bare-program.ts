import { Command } from "commander";
import type { CliContext } from "#core/commands";

/** `writ` with the options that every command has, and no command yet. What commander complains about goes into `usage`. */
export function bareProgram(context: CliContext, usage: string[]): Command {
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
      // Complaints are kept until the end and printed once, as every failure is; help that was not asked for goes out at once.
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
