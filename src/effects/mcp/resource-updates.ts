import type { Client } from "@modelcontextprotocol/client";
import type { Clock } from "#core/values";
import { keepSubscribed } from "./subscription.ts";

interface UpdatesOptions {
  readonly client: Pick<Client, "listen" | "subscribeResource" | "getProtocolEra" | "getServerCapabilities">;
  readonly clock: Clock;
  /** Whether the server refuses a subscription for good. */
  readonly isRefusal: (thrown: unknown) => boolean;
  /** Aborts when the connection has ended. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Resources of one server that are watched at a time: each is a stream of its own since revision 2026-07-28. */
const mostWatched = 32;

/**
 * Subscriptions to resources of a server that offers them: by a request of revision 2025-11-25, by a stream since. A reader hears
 * of an update, of a stream that broke, since an update may have been missed, and of the end of the connection.
 */
export class ResourceUpdates {
  readonly #options: UpdatesOptions;
  readonly #watched = new Map<string, { onUpdate: () => void; readonly isOpen: Promise<boolean> }>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** Whether the resource is watched: what is read after this holds until `onUpdate` is called. */
  watch(uri: string, onUpdate: () => void): Promise<boolean> {
    const { client, signal } = this.#options;
    const known = this.#watched.get(uri);
    if (known) known.onUpdate = onUpdate;
    if (known) return known.isOpen;
    const offers = client.getServerCapabilities()?.resources?.subscribe === true;
    if (!offers || signal.aborted || this.#watched.size >= mostWatched) return Promise.resolve(false);
    const isOpen = client.getProtocolEra() === "modern" ? this.#listen(uri) : this.#subscribe(uri);
    this.#watched.set(uri, { onUpdate, isOpen });
    return isOpen;
  }

  /** What the server tells: of the resource itself, or of one below it. */
  updated(uri: unknown): void {
    if (typeof uri !== "string") return;
    for (const [watched, { onUpdate }] of this.#watched)
      if (uri === watched || uri.startsWith(`${watched}/`)) onUpdate();
  }

  async #subscribe(uri: string): Promise<boolean> {
    const { client, signal, timeoutMs } = this.#options;
    try {
      await client.subscribeResource({ uri }, { timeout: timeoutMs, signal });
      return true;
    } catch {
      this.#watched.delete(uri); // not watched: it is read each time
      return false;
    }
  }

  #listen(uri: string): Promise<boolean> {
    return new Promise((resolve) => void this.#keep(uri, resolve));
  }

  async #keep(uri: string, opened: (isOpen: boolean) => void): Promise<void> {
    const missed = () => this.#watched.get(uri)?.onUpdate();
    const filter = { resourceSubscriptions: [uri] };
    await keepSubscribed({ ...this.#options, filter, onOpen: () => opened(true), onGap: missed });
    missed();
    this.#watched.delete(uri);
    opened(false);
  }

  #end(): void {
    const all = [...this.#watched.values()];
    this.#watched.clear();
    for (const { onUpdate } of all) onUpdate();
  }
}
