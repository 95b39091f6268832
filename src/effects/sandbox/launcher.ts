import { channel } from "./channel.ts";
import { limitCommands } from "./limits.ts";
import { gatePort, type Network } from "./network-gate/network.ts";
import { launcherProgram } from "./perl/launcher-program.ts";
import { quote } from "./quote.ts";
import type { StartOptions } from "./run-options.ts";
import type { Architecture } from "./seccomp/syscall-table.ts";

/** Pid 1 of a sandbox: its command line, and the line on its stdin that holds the one command to run. */
export interface Launcher {
  command(options: {
    readonly root: string;
    readonly network: Network;
    /** Paths beside the workspace and the scratch places that may be written. */
    readonly writable: readonly string[];
  }): readonly string[];
  goLine(root: string, request: StartOptions): string;
}

/** Launcher in perl, which can restrict itself with Landlock before it starts the command. */
export function perlLauncher(options: {
  readonly perl: string;
  readonly architecture: Architecture;
  /** The version of Landlock's interface; 0 without. */
  readonly landlock: number;
  readonly program?: string;
}): Launcher {
  const program = options.program ?? launcherProgram(options.architecture);
  return {
    command: ({ root, network, writable }) => [
      options.perl,
      "-e",
      program,
      String(options.landlock),
      { none: "0", all: "1", hosts: String(gatePort) }[network],
      root,
      ...writable,
    ],
    goLine(_, { limits, env, command }) {
      const numbers = [limits.cpuSeconds, limits.memoryBytes, limits.fileBytes, limits.openFiles, limits.processes];
      const variables = Object.entries(env).flat();
      return [...numbers.map(String), String(variables.length / 2), ...variables, ...command].map(encoded).join(" ");
    },
  };
}

/** Launcher for machines without perl. */
export const shellLauncher: Launcher = {
  command: () => [
    "/bin/sh",
    "-c",
    `N='\n'; IFS= read -r go <&${channel.go} || exit 125; exec ${channel.go}<&-; eval "$go"`,
  ],
  goLine(root, request) {
    const exports = Object.entries(request.env).map(([name, value]) => `export ${name}=${quote(value)};`);
    return [
      `cd ${quote(root)} && ${limitCommands(request.limits)} || exit 126;`,
      ...exports,
      "unset OLDPWD;",
      request.command.map(quote).join(" "),
      "; exit $?",
    ].join(" ");
  },
};

/** A word without blanks or line breaks: bytes that could be taken for either are written as numbers. */
function encoded(word: string): string {
  return word.replaceAll(/[^\w./:=@,+-]+/gu, (some) =>
    [...Buffer.from(some)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}
