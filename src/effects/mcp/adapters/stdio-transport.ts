import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { DomainError } from "#core/errors";
import { lineReader, type RunningProgram } from "#core/machine";
import { type Clock, isJsonObject, type Result, sleep } from "#core/values";
import type { LayeredProgram } from "../../programs/layered-program.ts";
import type { UnkeptWrites } from "../../programs/unkept-writes.ts";

export interface StdioOptions {
  /** Starts the server, in its sandbox. */
  readonly start: () => Promise<Result<LayeredProgram>>;
  readonly clock: Clock;
  /** Size limit of one message. A server that sends a longer one is ended. */
  readonly maxMessageBytes: number;
  /** Limit between two answers for everything else: notifications, requests of the server, lines that are no messages. */
  readonly maxUnaskedBytes: number;
  readonly graceMs: number;
}

const leftRunning = "what is left of it belongs to another user and goes on running";
const malformed = "the answer has neither a result nor an error";

/**
 * A server on stdin and stdout. In addition to the SDK's own transport, the server runs in a sandbox and ends as a whole, gets
 * only the environment it is given, and is ended when it floods its output.
 *
 * `pid` and `stderr` are how the SDK tells a program from an address.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why it ended, where that is known. */
  ended: string | undefined;
  /** Why it was not started: refused, or not there. */
  refused: DomainError | undefined;
  readonly #options: StdioOptions;
  readonly #asked = new Set<string | number>();
  #program: LayeredProgram | undefined;
  #exited: Promise<void> = Promise.resolve();
  #unasked = 0;
  #lastWords = "";
  #isLeft = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#program?.pid ?? null;
  }

  /** The isolation that it runs in; undefined before it is started. */
  get tier(): RunningProgram["tier"] | undefined {
    return this.#program?.tier;
  }

  /** What it changed in the workspace without a right to: it is kept nowhere. */
  unkept(): UnkeptWrites {
    return this.#program?.unkept?.() ?? new Map();
  }

  /** Whether it sees what it would not be shown if it started now. */
  get isStale(): boolean {
    return this.#program?.isStale?.() ?? false;
  }

  /** What agents wrote and it is not shown. */
  get unshown(): NonNullable<LayeredProgram["unshown"]> {
    return this.#program?.unshown ?? [];
  }

  get stderr(): null {
    return null;
  }

  /** The end of its stderr, for a person who looks for the cause of a failure. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  async start(): Promise<void> {
    const { maxMessageBytes } = this.#options;
    const started = await this.#options.start();
    if (!started.ok) {
      this.refused = started.error;
      throw new Error(started.error.message);
    }
    const program = started.value;
    this.#program = program;
    this.#exited = this.#watch(program);
    program.stdout.once("close", () => void this.#closed());
    program.stdin.on("error", (error) => this.onerror?.(error));
    program.stdout.on("error", (error) => this.onerror?.(error));
    program.stdout.on(
      "data",
      lineReader(maxMessageBytes, {
        line: (text, bytes) => this.#read(text, bytes),
        tooLong: () => this.#endFor(`it sent a message of more than ${maxMessageBytes} bytes`),
      }),
    );
    program.stderr.setEncoding("utf8");
    program.stderr.on("data", (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000);
    });
    program.stderr.on("error", (error) => this.onerror?.(error));
  }

  async #watch(program: RunningProgram): Promise<void> {
    const { why, isGone } = await program.ended;
    this.ended ??= why;
    if (!isGone) this.#leave(program);
    program.stdin.destroy();
  }

  /** Its pipes may be gone before its end is known. */
  async #closed(): Promise<void> {
    await this.#exited;
    if (!this.#isLeft) this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    if (!program || program.stdin.destroyed)
      return Promise.reject(new Error(this.ended ?? "the server is not running"));
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    const more = program.stdin.write(`${JSON.stringify(message)}\n`);
    if (more) return Promise.resolve();
    // A server that ends while it is written to never drains.
    return Promise.race([new Promise<void>((resolve) => program.stdin.once("drain", resolve)), this.#exited]);
  }

  /** Closes the server's stdin first, then sends SIGTERM, then SIGKILL to everything that it started. */
  async close(): Promise<void> {
    const program = this.#program;
    if (!program || this.#isLeft) return;
    const { clock, graceMs } = this.#options;
    this.ended ??= "Writ closed it";
    program.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#goneWithin(clock, graceMs)) break;
      if (!program.kill(signal)) return this.#leave(program);
    }
    await this.#exited;
    program.stdout.destroy();
    program.stderr.destroy();
  }

  async #goneWithin(clock: Clock, ms: number): Promise<boolean> {
    const waiting = new AbortController();
    const gone = this.#exited.then(() => true);
    const passed = sleep(clock, ms, waiting.signal).then(() => false);
    const first = await Promise.race([gone, passed]);
    waiting.abort();
    return first;
  }

  #read(text: string, bytes: number): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined; // many servers print other lines too; they count against `maxUnaskedBytes`
    }
    const parsed = isJsonObject(message) && message["jsonrpc"] === "2.0" ? message : undefined;
    const answered = parsed && this.#answered(parsed);
    this.#unasked = answered === undefined ? this.#unasked + bytes : 0;
    if (this.#unasked > this.#options.maxUnaskedBytes)
      return this.#endFor(`it sent more than ${this.#options.maxUnaskedBytes} bytes that nobody had asked for`);
    if (!parsed) return;
    // The SDK drops a malformed answer, and its caller would wait for ever: it gets an error in its place.
    const wellFormed = answered === undefined || isJsonObject(parsed["result"]) || isJsonObject(parsed["error"]);
    const passed = wellFormed ? parsed : { jsonrpc: "2.0", id: answered, error: { code: -32603, message: malformed } };
    try {
      this.onmessage?.(passed as unknown as JSONRPCMessage);
    } catch (thrown) {
      this.onerror?.(thrown as Error);
    }
  }

  /** The id of the request that this message answers; undefined when it answers none of ours. */
  #answered(message: Record<string, unknown>): string | number | undefined {
    const { id } = message;
    if ("method" in message || (typeof id !== "number" && typeof id !== "string")) return undefined;
    return this.#asked.delete(id) ? id : undefined;
  }

  #endFor(why: string): void {
    if (this.ended !== undefined) return;
    this.ended = why;
    this.#program?.stdout.destroy();
    if (this.#program && !this.#program.kill("SIGKILL")) this.#leave(this.#program);
  }

  /** Leaves processes behind that this process may not signal, and says so. */
  #leave(program: RunningProgram): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.ended = this.ended === undefined ? leftRunning : `${this.ended}; ${leftRunning}`;
    for (const pipe of [program.stdin, program.stdout, program.stderr]) pipe.destroy();
    this.onclose?.();
  }
}
