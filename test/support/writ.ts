import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./bare-environment.ts";

export const repository: string = fileURLToPath(new URL("../../", import.meta.url));

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to an environment without colours and locale. */
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** The built command line as a process of its own, as a person or a script would start it. */
export function writ(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, ...args], {
    cwd: options.cwd ?? repository,
    env: { ...bareEnvironment(), ...options.env },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise((resolve, reject) => {
    const collected = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (collected.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (collected.stderr += text));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...collected }));
  });
}

/** Runs with `--json` and insists that stdout is exactly one JSON document. */
export async function writJson<T>(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult & { readonly json: T }> {
  const result = await writ([...args, "--json"], options);
  return { ...result, json: JSON.parse(result.stdout) as T };
}
