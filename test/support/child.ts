import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of test/recovery/children to its end, however it ends. */
export function runChild(script: string, input: unknown): Promise<ChildEnd> {
  const path = fileURLToPath(new URL(`../recovery/children/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify(input)], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
  });
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr })));
}
