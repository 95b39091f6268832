import { type DomainError, messageOf } from "../errors/domain-error.ts";
import type { Clock } from "../values/clock.ts";
import { ok, type Result } from "../values/result.ts";
import { lineReader } from "./line-reader.ts";
import { moduleSource } from "./module-source.ts";
import { type ModuleSpec, typescriptReader } from "./module-spec.ts";
import type { Program, ProgramTier, RunningProgram } from "./programs.ts";

/** What a module is called as: its default export asked as a hook, its `app` for a turn, one of its `handlers` for a lease. */
export type ModuleShape = "hook" | "describe" | "app" | "handlers";

export interface ModuleCall {
  readonly shape: ModuleShape;
  /** JSON. */
  readonly args: readonly unknown[];
  readonly signal: AbortSignal;
  /** Answers what the module asks for during this call, by name. */
  readonly serve?: (name: string, args: readonly unknown[]) => Promise<unknown>;
}

/** Why a call has no answer. */
export type ModuleFault =
  | { readonly kind: "not_started"; readonly error: DomainError }
  /** The module could not be loaded. */
  | { readonly kind: "unread"; readonly what: string; readonly isSyntax: boolean; readonly tier: ProgramTier }
  | { readonly kind: "failed"; readonly what: string; readonly tier: ProgramTier };

export type ModuleAnswer =
  | { readonly text: string | undefined; readonly tier: ProgramTier; readonly fault?: undefined }
  | { readonly fault: ModuleFault };

/** A module of the workspace in a process of its own. It is started with its first call, and again after it ended. */
export interface ModuleProcess {
  /** Starts the process, so that a call's time limit is not spent on that. */
  prepare(): Promise<void>;
  call(call: ModuleCall): Promise<ModuleAnswer>;
  close(): Promise<void>;
}

export interface ModuleProcessOptions {
  readonly module: ModuleSpec;
  /** Admitted as `programOfModule` says. */
  readonly program: Program;
  readonly clock: Clock;
  /** Its rights' secrets, as variables. */
  readonly secrets: () => Promise<Result<Readonly<Record<string, string>>>>;
  /** Of one answer, in characters. */
  readonly longestAnswer: number;
  /** Of its heap, for a module that needs little; otherwise the sandbox alone bounds it. */
  readonly heapMib?: number;
  /** Gets what the module prints. Without it that is discarded. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** How long a process may stay silent after a call was aborted before it counts as hung and is ended. */
const hungAfterMs = 250;
/** An answer is a JSON text inside a line of JSON, where a character takes up to six more. */
const lineOf = (longestAnswer: number): number => 8 * longestAnswer + 64 * 1024;

/** Each module has its own process: one that hangs, exits or runs out of memory ends only its own calls. */
export function moduleProcess(options: ModuleProcessOptions): ModuleProcess {
  let current: Promise<Result<Connection>> | undefined;
  const all = new Set<Connection>();
  const connect = () => {
    const started: Promise<Result<Connection>> = start(options).then((running) => {
      if (!running.ok) {
        if (current === started) current = undefined; // what was wrong may be mended
        return running;
      }
      const retire = () => {
        if (current === started) current = undefined;
      };
      const connection = new Connection(running.value, options, retire);
      all.add(connection);
      void running.value.ended.then(() => all.delete(connection));
      return ok(connection);
    });
    return started;
  };
  return {
    async prepare() {
      await (current ??= connect());
    },
    async call(call) {
      const running = await current;
      if (running?.ok && running.value.isStale) running.value.leave();
      const connected = await (current ??= connect());
      if (!connected.ok) return { fault: { kind: "not_started", error: connected.error } };
      return connected.value.call(call);
    },
    async close() {
      await current;
      await Promise.all([...all].map((connection) => connection.end()));
    },
  };
}

async function start({ module, program, secrets, heapMib }: ModuleProcessOptions): Promise<Result<RunningProgram>> {
  const env = await secrets();
  if (!env.ok) return env;
  const reader = typescriptReader(module.path);
  const heap = heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`, "--max-semi-space-size=16"];
  const own = ["-e", moduleSource, "--", module.path, ...(reader ? [reader.url] : [])];
  return program.start({
    command: [process.execPath, ...heap, "--input-type=commonjs", ...own],
    env: env.value,
  });
}

interface OpenCall {
  readonly finish: (answer: ModuleAnswer) => void;
  readonly serve: ModuleCall["serve"];
}

type Message =
  | { readonly id: number; readonly text?: string }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly unread: string; readonly isSyntax: boolean }
  | { readonly of: number; readonly question: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly pong: number }
  | { readonly broke: string };

/** One running process. */
class Connection {
  readonly #program: RunningProgram;
  readonly #options: ModuleProcessOptions;
  /** Called once no further call may come here. */
  readonly #retire: () => void;
  readonly #open = new Map<number, OpenCall>();
  #next = 1;
  #messages = 0;
  #retired = false;
  #ended: string | undefined;

  constructor(program: RunningProgram, options: ModuleProcessOptions, retire: () => void) {
    this.#program = program;
    this.#options = options;
    this.#retire = retire;
    const { stdin, stdout, stderr } = program;
    stdin.on("error", () => undefined); // the process ended; its end is reported below
    stdout.on("error", () => undefined);
    stderr.on("error", () => undefined);
    const tooLong = () => this.#endFor("sent a line without an end");
    stdout.on("data", lineReader(lineOf(options.longestAnswer), { line: (text) => this.#receive(text), tooLong }));
    stderr.setEncoding("utf8").on("data", (text: string) => options.onOutput?.(text));
    void this.#watch();
  }

  /** Whether it sees what it would not be shown if it started now. */
  get isStale(): boolean {
    return this.#program.isStale?.() ?? false;
  }

  call({ shape, args, signal, serve }: ModuleCall): Promise<ModuleAnswer> {
    const { clock, longestAnswer } = this.#options;
    return new Promise((resolve) => {
      const id = this.#next++;
      const giveUp = () => {
        this.#send({ id, abort: true });
        this.leave(); // the next call gets a fresh process; the calls still open here may finish
        this.#finish(id, this.#failed("was given up"));
        const before = this.#messages;
        clock.after(hungAfterMs, () => {
          if (this.#messages === before) this.#program.kill("SIGKILL");
        });
      };
      const finish = (answer: ModuleAnswer) => {
        signal.removeEventListener("abort", giveUp);
        resolve(answer);
      };
      this.#open.set(id, { finish, serve });
      if (this.#ended !== undefined) return this.#finish(id, this.#failed(this.#ended));
      if (signal.aborted) return this.#finish(id, this.#failed("was given up"));
      signal.addEventListener("abort", giveUp, { once: true });
      this.#send({ id, shape, args, longest: longestAnswer });
    });
  }

  async #watch(): Promise<void> {
    const { why } = await this.#program.ended;
    const over = () => this.#endFor(`ended itself before it answered: ${why}`);
    const { stdout } = this.#program;
    if (stdout.closed) return over();
    // What it said at last may still be in the pipe; what it left running may hold that open.
    stdout.once("close", over);
    this.#options.clock.after(hungAfterMs, over);
  }

  async end(): Promise<void> {
    this.#endFor("was ended");
    await this.#program.ended;
  }

  /** Gets no further call; it ends once those that are open have. */
  leave(): void {
    this.#retired = true;
    this.#retire();
    if (this.#open.size === 0) this.#program.stdin.end();
  }

  #finish(id: number, answer: ModuleAnswer): void {
    this.#open.get(id)?.finish(answer);
    this.#open.delete(id);
    if (this.#retired && this.#open.size === 0) this.#program.stdin.end();
  }

  #endFor(why: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.leave();
    for (const id of this.#open.keys()) this.#finish(id, this.#failed(why));
    this.#program.kill("SIGKILL");
  }

  #failed(what: string): ModuleAnswer {
    return { fault: { kind: "failed", what, tier: this.#program.tier } };
  }

  #send(message: object): void {
    if (!this.#program.stdin.destroyed) this.#program.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    this.#messages += 1;
    const { tier } = this.#program;
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return this.#endFor("wrote to the pipe of its answers"); // only code that went around the module's own output gets there
    }
    if ("pong" in message) return;
    if ("broke" in message) return this.#endFor(`broke down: ${message.broke}`);
    if ("question" in message) return void this.#serve(message);
    if ("unread" in message) {
      const { unread: what, isSyntax } = message;
      return this.#finish(message.id, { fault: { kind: "unread", what, isSyntax, tier } });
    }
    if ("error" in message) return this.#finish(message.id, this.#failed(message.error));
    this.#finish(message.id, { text: message.text, tier });
  }

  async #serve({ of, question, name, args }: Extract<Message, { question: number }>): Promise<void> {
    const call = this.#open.get(of);
    if (!call?.serve) return this.#send({ reply: question, thrown: `${name} is not offered to this call` });
    try {
      this.#send({ reply: question, value: await call.serve(name, args) });
    } catch (thrown) {
      this.#send({ reply: question, thrown: messageOf(thrown) });
    }
  }
}

const missesSomething =
  /no such file|not found|cannot find|can't open|enoent|permission denied|eacces|could not resolve|enotfound|eai_again|econnrefused|enetunreach|fetch failed|network is unreachable/i;

/** For a module that failed for want of a file, a package or a host: the line that grants it. */
export function hintOfModule(
  what: string,
  { where }: Pick<ModuleSpec, "where">,
  tier: ProgramTier,
): string | undefined {
  if (tier === "T1" || !missesSomething.test(what)) return undefined;
  return `it runs in a sandbox that shows only its own files; \`rights: { code: […], read: […], hosts: […] }\` under ${where} shows it more`;
}
