import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type Clock, isJsonObject, sleep } from "#core/values";
import { lineReader } from "./line-reader.ts";
import { endWithUs, killGroup, noLongerOurs } from "./process-group.ts";

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the server's process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Size limit of one message. A server that sends a longer one is ended. */
  readonly maxMessageBytes: number;
  /** Limit between two answers for everything else: notifications, requests of the server, lines that are no messages. */
  readonly maxUnaskedBytes: number;
  readonly graceMs: number;
}

const leftRunning = "what is left of it belongs to another user and goes on running";
const malformed = "the answer has neither a result nor an error";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A server on stdin and stdout. In addition to the SDK's own transport, the server leads a process group that ends as a
 * whole, gets only the environment it is given, and is ended when it floods its output.
 *
 * `pid` and `stderr` are how the SDK tells a program from an address.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why it ended, where that is known. */
  ended: string | undefined;
  readonly #options: StdioOptions;
  readonly #asked = new Set<string | number>();
  #child: Child | undefined;
  #exited: Promise<void> = Promise.resolve();
  #unasked = 0;
  #lastWords = "";
  #isLeft = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** The end of its stderr, for a person who looks for the cause of a failure. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  start(): Promise<void> {
    const { command, args, env, cwd, maxMessageBytes } = this.#options;
    return new Promise((resolve, reject) => {
      let child: Child;
      try {
        child = spawn(command, [...args], { cwd, env: { ...env }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
      } catch (thrown) {
        reject(thrown);
        return;
      }
      this.#child = child;
      this.#exited = new Promise((exited) => {
        child.once("error", (error) => {
          this.ended ??= error.message;
          reject(error);
          exited();
          this.onclose?.();
        });
        child.once("exit", (code, signal) => {
          this.ended ??= signal ? `it was ended by ${signal}` : `it ended with status ${code}`;
          // A process that the server left running holds the pipes open and outlives every limit.
          if (!killGroup(child.pid)) this.#leave(child);
          noLongerOurs(child.pid);
          child.stdin.destroy();
          exited();
        });
      });
      child.once("spawn", () => {
        endWithUs(child.pid);
        resolve();
      });
      child.once("close", () => {
        if (!this.#isLeft) this.onclose?.();
      });
      child.stdin.on("error", (error) => this.onerror?.(error));
      child.stdout.on("error", (error) => this.onerror?.(error));
      child.stdout.on(
        "data",
        lineReader(maxMessageBytes, {
          line: (text, bytes) => this.#read(text, bytes),
          tooLong: () => this.#endFor(`it sent a message of more than ${maxMessageBytes} bytes`),
        }),
      );
      child.stderr.setEncoding("utf8");
      child.stderr.on("data", (text: string) => {
        this.#lastWords = (this.#lastWords + text).slice(-2000);
      });
      child.stderr.on("error", (error) => this.onerror?.(error));
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || child.stdin.destroyed) return Promise.reject(new Error(this.ended ?? "the server is not running"));
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    const more = child.stdin.write(`${JSON.stringify(message)}\n`);
    if (more) return Promise.resolve();
    // A server that ends while it is written to never drains.
    return Promise.race([new Promise<void>((resolve) => child.stdin.once("drain", resolve)), this.#exited]);
  }

  /** Closes the server's stdin first, then sends SIGTERM, then SIGKILL to the whole group. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#isLeft) return;
    const { clock, graceMs } = this.#options;
    this.ended ??= "Writ closed it";
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#goneWithin(clock, graceMs)) break;
      if (!killGroup(child.pid, signal)) return this.#leave(child);
    }
    await this.#exited;
    child.stdout.destroy();
    child.stderr.destroy();
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
    this.#child?.stdout.destroy();
    if (this.#child && !killGroup(this.#child.pid)) this.#leave(this.#child);
  }

  /** Leaves processes behind that this process may not signal, and says so. */
  #leave(child: Child): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.ended = this.ended === undefined ? leftRunning : `${this.ended}; ${leftRunning}`;
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    child.unref();
    this.onclose?.();
  }
}
