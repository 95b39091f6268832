import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Printed {
  readonly status: number | null;
  /** Both streams, as a terminal shows them. */
  readonly printed: string;
}

interface Answer extends Printed {
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandLine {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The built command line in one process for many command lines; started by the first. */
export class Writ {
  #child: ChildProcess | undefined;

  async run(line: CommandLine): Promise<Answer> {
    this.#child ??= fork(join(import.meta.dirname, "warm-writ.mjs"), {
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const over = new AbortController();
    const answered = once(this.#child, "message", { signal: over.signal });
    const died = once(this.#child, "exit", { signal: over.signal }).then(() => {
      throw new Error(`the process ended during: writ ${line.argv.join(" ")}`);
    });
    this.#child.send(line);
    const [answer] = (await Promise.race([answered, died])) as [Answer];
    died.catch(() => undefined); // nobody waits for it any more
    over.abort();
    return answer;
  }

  async close(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
