import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface RequestProcesses {
  /** Requests a second of all of them together. */
  perSecond(count: number, width: number): Promise<number>;
  close(): void;
}

interface Worker {
  readonly child: ChildProcess;
  carryOut(count: number, width: number): Promise<void>;
}

/** Processes that work in one workspace. They are started by the first measurement. */
export function requestProcesses(root: string, processes: number): RequestProcesses {
  let workers: readonly Worker[] | undefined;
  return {
    async perSecond(count, width) {
      workers ??= Array.from({ length: processes }, (_, index) => worker(root, `${processes}${index}`));
      await Promise.all(workers.map(({ carryOut }) => carryOut(1, 1)));
      const started = performance.now();
      const share = Math.ceil(count / processes);
      await Promise.all(workers.map(({ carryOut }) => carryOut(share, Math.ceil(width / processes))));
      return ((share * processes) / (performance.now() - started)) * 1_000;
    },
    close() {
      for (const { child } of workers ?? []) child.kill();
    },
  };
}

function worker(root: string, name: string): Worker {
  const script = fileURLToPath(new URL("./request-process.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, root, name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async carryOut(count, width) {
      child.stdin.write(`${JSON.stringify({ count, width })}\n`);
      if ((await lines.next()).done) throw new Error("a process ended before its requests were done");
    },
  };
}
