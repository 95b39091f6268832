import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface WorkerProcesses {
  /** Lets all of them work until they completed so many items together; answers the milliseconds that this took. */
  complete(count: number): Promise<number>;
  end(): Promise<void>;
}

const script = fileURLToPath(new URL("./drain-child.ts", import.meta.url));

/** So many processes with a worker each. They run what would be shipped, as the bench itself does. */
export async function workerProcesses(
  url: string,
  options: { readonly processes: number; readonly concurrency: number; readonly workMs: number },
): Promise<WorkerProcesses> {
  const members = Array.from({ length: options.processes }, () => new Member(url, options));
  await Promise.all(members.map((member) => member.said("ready")));
  const completed = (): number => members.reduce((sum, { done }) => sum + done, 0);
  return {
    async complete(count) {
      const wanted = completed() + count;
      const started = performance.now();
      const all = new Promise<void>((resolve) => {
        for (const member of members)
          member.onProgress = () => {
            if (completed() >= wanted) resolve();
          };
      });
      for (const member of members) member.say("go");
      await all;
      const ms = performance.now() - started;
      const stopped = members.map((member) => member.said("stopped"));
      for (const member of members) member.say("stop");
      await Promise.all(stopped);
      return ms;
    },
    async end() {
      await Promise.all(members.map((member) => member.end()));
    },
  };
}

class Member {
  /** Items that it completed since it began. */
  done = 0;
  onProgress: (() => void) | undefined;
  readonly #child;
  readonly #waiting = new Map<string, () => void>();

  constructor(url: string, options: { readonly concurrency: number; readonly workMs: number }) {
    const args = ["--import=tsx", script, url, String(options.concurrency), String(options.workMs)];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const waiting = this.#waiting.get(line);
      if (waiting) waiting();
      else {
        this.done = Number(line);
        this.onProgress?.();
      }
    });
  }

  say(line: "go" | "stop"): void {
    this.#child.stdin.write(`${line}\n`);
  }

  said(line: "ready" | "stopped"): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(line, resolve));
  }

  end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    this.#child.stdin.end();
    return ended;
  }
}
