import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bareEnvironment } from "../bare-environment.ts";
import type { Printed, Writ } from "../warm-writ.ts";
import { repository } from "../writ.ts";

const patienceMs = 120_000;

/** A reader's terminal: a folder, an environment, `writ` on the path. */
export class Shell {
  #cwd: string;
  readonly #env: Record<string, string>;
  readonly #writ: Writ;
  readonly #started: ChildProcess[] = [];

  constructor(writ: Writ, home: string, env: Readonly<Record<string, string>> = {}) {
    this.#writ = writ;
    const programs = join(home, ".programs");
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, "writ"), `#!/bin/sh\nexec "${process.execPath}" "${repository}bin/writ.js" "$@"\n`);
    chmodSync(join(programs, "writ"), 0o755);
    this.#cwd = home;
    this.#env = {
      PATH: `${programs}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      XDG_CONFIG_HOME: bareEnvironment().XDG_CONFIG_HOME,
      WRIT_TRUST: bareEnvironment().WRIT_TRUST,
      ...env,
    };
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** Runs one line as `sh` would. Plain `writ …` lines go to the process that stays. */
  async run(line: string): Promise<Printed> {
    const parts = line.split(" && ");
    let all = "";
    for (const part of parts) {
      const { status, printed } = await this.#one(part.trim());
      all += printed;
      if (status !== 0) return { status, printed: all };
    }
    return { status: 0, printed: all };
  }

  /** Starts a program that goes on, such as a server; `ready` looks at what it printed so far. */
  async start(line: string, ready: (printed: string) => boolean): Promise<Printed> {
    const child = spawn("sh", ["-c", `exec ${line}`], {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#started.push(child);
    let printed = "";
    return new Promise((done) => {
      const look = (text: string) => {
        printed += text;
        if (ready(printed)) done({ status: 0, printed });
      };
      child.stdout.setEncoding("utf8").on("data", look);
      child.stderr.setEncoding("utf8").on("data", look);
      child.on("close", (status) => done({ status: status ?? 1, printed }));
      setTimeout(
        () => done({ status: 1, printed: `${printed}(it was not ready after ${patienceMs} ms)\n` }),
        patienceMs,
      ).unref();
      look("");
    });
  }

  async close(): Promise<void> {
    const alive = this.#started.toReversed().filter((child) => child.exitCode === null && child.signalCode === null);
    await Promise.all(
      alive.map(async (child) => {
        const gone = once(child, "exit");
        child.kill("SIGTERM");
        await gone;
      }),
    );
  }

  async #one(part: string): Promise<Printed> {
    const [first = "", second = ""] = part.split(" ");
    if (first === "cd") {
      this.#cwd = resolve(this.#cwd, second);
      return { status: 0, printed: "" };
    }
    if (first === "export") {
      const [name = "", value = ""] = part.slice("export ".length).split(/=(.*)/s);
      this.#env[name] = value.replace(/^(["'])(.*)\1$/s, "$2");
      return { status: 0, printed: "" };
    }
    const job = /^kill -9 %(\d+)$/.exec(part);
    if (job) {
      const child = this.#started[Number(job[1]) - 1];
      const gone = child ? once(child, "exit") : Promise.resolve();
      child?.kill("SIGKILL");
      await gone;
      return { status: 0, printed: "" };
    }
    const argv = first === "writ" ? plainWords(part) : undefined;
    if (!argv) return this.#program(part);
    const target = argv.at(-2) === ">" ? argv.at(-1) : undefined;
    const answer = await this.#writ.run({
      argv: argv.slice(1, target === undefined ? undefined : -2),
      cwd: this.#cwd,
      env: this.#env,
    });
    if (target === undefined) return answer;
    writeFileSync(resolve(this.#cwd, target), answer.stdout);
    return { status: answer.status, printed: "" };
  }

  async #program(line: string): Promise<Printed> {
    const child = spawn("sh", ["-c", line], { cwd: this.#cwd, env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const [status] = (await once(child, "close")) as [number | null];
    return { status, printed };
  }
}

/** The words of a line that needs no shell but perhaps a last `> file`; undefined where it needs more. */
function plainWords(line: string): readonly string[] | undefined {
  const found: string[] = [];
  const text = line.replace(/\\\n */g, " ").trim();
  const word = /\s*(?:"([^"$`\\]*)"|'([^']*)'|([^\s"'$`|;&<>()*?\\]+|>))(?=\s|$)/y;
  while (word.lastIndex < text.length) {
    const match = word.exec(text);
    if (!match) return undefined;
    found.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return found.slice(0, -2).includes(">") || found.at(-1) === ">" ? undefined : found;
}
