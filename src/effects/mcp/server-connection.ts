import { domainError } from "#core/errors";
import { err, fraction, type Random, type Result, sleep } from "#core/values";
import { type ConnectOptions, connectMcp } from "./connect.ts";
import type { McpConnection } from "./connection.ts";

export interface ServerConnectionOptions
  extends Pick<ConnectOptions, "spec" | "clock" | "program" | "session" | "root" | "fill" | "keeper" | "version"> {
  readonly random: Random;
}

const firstDelayMs = 250;
const longestDelayMs = 30_000;

/**
 * The connection to a declared server, opened on first use and again after it broke.
 *
 *     idle ──needed──► starting ──► connected ──it ends, or is lost──► waiting ──► starting …
 *                         └──failed──► waiting (longer each time)
 */
export class ServerConnection {
  readonly #options: ServerConnectionOptions;
  /** Called when a stored tool list of the server is no longer valid. */
  readonly #onStale: () => void;
  readonly #closing = new AbortController();
  #connected: Promise<Result<McpConnection>> | undefined;
  /** Includes connections that are retired and not yet closed. */
  readonly #open = new Set<McpConnection>();
  /** The one that further calls go to. */
  #newest: McpConnection | undefined;
  #failures = 0;
  #startableAt = 0;

  constructor(options: ServerConnectionOptions, onStale: () => void) {
    this.#options = options;
    this.#onStale = onStale;
  }

  get(): Promise<Result<McpConnection>> {
    if (this.#closing.signal.aborted) return Promise.resolve(this.#closed());
    this.#connected ??= this.#start();
    return this.#connected;
  }

  /** Has the next call start the server anew where the running one sees what agents wrote since, and is not to. */
  refresh(): void {
    const stale = this.#newest;
    if (!stale?.isStale) return;
    this.#newest = undefined;
    this.#connected = undefined;
    this.#onStale();
    void stale.retire();
  }

  /** Resets the backoff: after an answer the next failure waits a short time again. */
  answered(): void {
    this.#failures = 0;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connected;
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  async #start(): Promise<Result<McpConnection>> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    const wait = this.#startableAt - clock.monotonic();
    if (wait > 0) await sleep(clock, wait, signal);
    if (signal.aborted) return this.#closed();
    let mine: McpConnection | undefined;
    let isCurrent = true;
    // The end of an old connection does not concern the one that replaced it.
    const giveUp = () => {
      const isReplaced = mine !== undefined && this.#newest !== mine;
      if (isCurrent && !isReplaced && !signal.aborted) this.#failed();
      isCurrent = false;
    };
    const connection = await connectMcp({
      ...this.#options,
      onClosed: () => {
        if (mine) this.#open.delete(mine);
        giveUp();
      },
      onLost: (lost) => {
        giveUp();
        this.#onStale(); // a list that was under way may have been stored since
        void lost.retire();
      },
      onToolsChanged: this.#onStale,
    });
    if (!connection.ok) giveUp();
    else if (signal.aborted) {
      await connection.value.close();
      return this.#closed();
    } else {
      mine = connection.value;
      this.#newest = mine;
      this.#open.add(mine);
    }
    return connection;
  }

  #failed(): void {
    const { clock, random } = this.#options;
    this.#connected = undefined;
    this.#newest = undefined;
    this.#onStale();
    this.#failures += 1;
    this.#startableAt = clock.monotonic() + backoff(this.#failures, random);
  }

  #closed(): Result<never> {
    return err(domainError("CANCELED", `the MCP server "${this.#options.spec.name}" is closed`));
  }
}

/** Half to all of 250 ms, 500 ms, … 30 s: processes that failed together do not retry together. */
function backoff(failures: number, random: Random): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));
  return full * (0.5 + fraction(random) / 2);
}
