import { type Clock, ok, type Result } from "#core/values";
import type { McpConnection } from "./connection.ts";
import { type Offer, readOffer } from "./wire-tool.ts";

export interface Look {
  /** When the look began, by the monotonic clock. */
  readonly at: number;
  readonly connection: McpConnection;
  readonly offer: Offer;
}

export interface LookOptions {
  readonly connect: () => Promise<Result<McpConnection>>;
  readonly clock: Clock;
  /** Time limit of the server's tool list. */
  readonly timeoutMs: number;
}

/** Reads a server's tool list. One request serves all callers that came before it began; later callers wait for the next. */
export class OfferLooks {
  readonly #options: LookOptions;
  #newest: Look | undefined;
  #looking: Promise<Result<Offer>> | undefined;
  #next: Promise<Result<Offer>> | undefined;
  #listing = "";

  constructor(options: LookOptions) {
    this.#options = options;
  }

  /** The last list; undefined after the server ended or announced that its tools changed. */
  get newest(): Look | undefined {
    return this.#newest;
  }

  forget(): void {
    this.#newest = undefined;
  }

  fresh(): Promise<Result<Offer>> {
    if (!this.#looking) return this.#begin();
    this.#next ??= this.#looking.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<Result<Offer>> {
    const mine = this.#look().finally(() => {
      if (this.#looking === mine) this.#looking = undefined;
    });
    this.#looking = mine;
    return mine;
  }

  async #look(): Promise<Result<Offer>> {
    const { connect } = this.#options;
    const first = await connect();
    if (!first.ok) return first;
    const seen = await this.#lookOver(first.value);
    if (seen.ok || !first.value.isLost) return seen;
    // Reconnects to a server that restarted; reading the list has no effect, so it may be repeated.
    const second = await connect();
    return second.ok ? this.#lookOver(second.value) : second;
  }

  async #lookOver(connection: McpConnection): Promise<Result<Offer>> {
    const { clock, timeoutMs } = this.#options;
    const at = clock.monotonic();
    const listed = await connection.listTools(timeoutMs);
    if (!listed.ok) {
      // A server that does not even list its tools is closed, so that the next caller starts it anew.
      if (listed.error.code === "TOOL_TIMEOUT") await connection.close();
      return listed;
    }
    // The same bytes as last time are not hashed again: that would cost more than the call.
    const listing = JSON.stringify(listed.value);
    const offer = this.#newest && listing === this.#listing ? this.#newest.offer : readOffer(listed.value, connection);
    this.#listing = listing;
    this.#newest = { at, connection, offer };
    return ok(offer);
  }
}
