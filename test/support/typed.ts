import { type ChildProcess, spawn } from "node:child_process";
import { bareEnvironment } from "./bare-environment.ts";
import { type CommandResult, repository } from "./writ.ts";

const launcher = `${repository}bin/writ.js`;

/** The built command line with something piped in. */
export function writPiped(cwd: string, args: readonly string[], input: string): Promise<CommandResult> {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, env: bareEnvironment() });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...said }));
  });
}

/** The built command line at a terminal, and the keys that a person presses there. */
export interface Typed {
  /** Everything that stood on the screen so far, escape sequences left out. */
  readonly shown: () => string;
  press(keys: string): void;
  /** Until the screen has shown it, after what was asked for before. */
  until(wanted: string): Promise<void>;
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;
}

/** `script` of util-linux gives the program a terminal of its own. */
export function writTyped(cwd: string, args: readonly string[]): Typed {
  const line = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ");
  const env = { ...bareEnvironment(), TERM: "xterm", SHELL: "/bin/sh", NO_COLOR: "1" };
  const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd, env });
  let screen = "";
  let read = 0;
  let look = () => undefined as void;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      resolve(status);
      look();
    });
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    screen += text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
    look();
  });
  return {
    shown: () => screen,
    press: (keys) => void child.stdin.write(keys),
    until: (wanted) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = screen.indexOf(wanted, read);
          if (at >= 0) {
            read = at + wanted.length;
            resolve();
          } else if (child.exitCode !== null) reject(new Error(`ended without showing ${wanted}: ${screen}`));
        };
        look();
      }),
    ended,
    child,
  };
}
