import { type Clock, ok, type Result } from "#core/values";
import type { McpConnection } from "./connection.ts";
import { type Offer, readOffer } from "./wire-tool.ts";

export interface Look {
  /** By the monotonic clock: when it began. */
  readonly at: number;
  readonly connection: McpConnection;
  readonly offer: Offer;
}

export interface LookOptions {
  readonly connect: () => Promise<Result<McpConnection>>;
  readonly clock: Clock;
  /** How long a server may take to say what it offers. */
  readonly timeoutMs: number;
}

/** Looks at what a server offers. One look serves all who asked before it began; who asks later waits for the next. */
export class OfferLooks {
  readonly #options: LookOptions;
  #newest: Look | undefined;
  #looking: Promise<Result<Offer>> | undefined;
  #next: Promise<Result<Offer>> | undefined;
  #listing = "";

  constructor(options: LookOptions) {
    this.#options = options;
  }

  /** What was seen last; nothing once the server ended or said that its tools changed. */
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
    // A server that began anew is greeted again; a look changes nothing and may be taken twice.
    const second = await connect();
    return second.ok ? this.#lookOver(second.value) : second;
  }

  async #lookOver(connection: McpConnection): Promise<Result<Offer>> {
    const { clock, timeoutMs } = this.#options;
    const at = clock.monotonic();
    const listed = await connection.listTools(timeoutMs);
    if (!listed.ok) {
      // One that does not even say what it offers is started anew for whoever asks next.
      if (listed.error.code === "TOOL_TIMEOUT") await connection.close();
      return listed;
    }
    // The same bytes as at the last look say the same; hashing them again would cost more than the call.
    const listing = JSON.stringify(listed.value);
    const offer = this.#newest && listing === this.#listing ? this.#newest.offer : readOffer(listed.value);
    this.#listing = listing;
    this.#newest = { at, connection, offer };
    return ok(offer);
  }
}
