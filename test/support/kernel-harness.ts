import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { shippedRegistry } from "#core/contracts";
import { createIds, type Result, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel } from "#runs";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { joined } from "./joined.ts";

export interface KernelProcess {
  readonly child: ChildProcess;
  /** What it said so far, each line parsed. */
  readonly said: Record<string, unknown>[];
  readonly exited: Promise<string>;
}

let script: string | undefined;

/** Starts test/support/kernel-process.ts on a database file. */
export function startKernelProcess(file: string, options: object): KernelProcess {
  script ??= joined(fileURLToPath(new URL("./kernel-process.ts", import.meta.url)));
  const child = spawn(process.execPath, [script, file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] });
  const said: Record<string, unknown>[] = [];
  let stderr = "";
  child.stderr?.on("data", (data: Buffer) => {
    stderr += data.toString();
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => said.push(JSON.parse(line) as Record<string, unknown>));
  const exited = new Promise<string>((resolve, reject) => {
    child.on("close", (code, signal) => {
      if (code !== null && code !== 0) reject(new Error(`the process failed: ${stderr}`));
      else resolve(signal ?? "exited");
    });
  });
  exited.catch(() => undefined); // whoever waits for it hears of it
  return { child, said, exited };
}

export interface OpenKernel {
  readonly kernel: Kernel;
  close(): Promise<void>;
}

export function openKernel(file: string): OpenKernel {
  const store = must(openSqliteKernel(file, { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  return {
    kernel,
    close: async () => {
      await kernel.drain();
      await store.close();
    },
  };
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export interface Workplace {
  readonly folder: string;
  readonly file: string;
  clear(): void;
}

export function workplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), "writ-kernel-"));
  return { folder, file: join(folder, "kernel.db"), clear: () => rmSync(folder, { recursive: true, force: true }) };
}
