import type { Client, SubscriptionFilter } from "@modelcontextprotocol/client";
import { type Clock, sleep } from "#core/values";

export interface Subscription {
  readonly client: Pick<Client, "listen">;
  readonly filter: SubscriptionFilter;
  readonly clock: Clock;
  /** Called when the server has taken it, each time anew. */
  readonly onOpen?: () => void;
  /** Called where changes may have been missed: the stream has broken, or there is none. */
  readonly onGap: () => void;
  /** Whether the server refuses subscriptions for good. */
  readonly isRefusal: (thrown: unknown) => boolean;
  readonly signal: AbortSignal;
}

const ackMs = 30_000;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * Keeps a subscription of revision 2026-07-28 open until the signal aborts. One that breaks is opened again after a wait that
 * doubles, also where the server takes it each time: only a subscription that lasted makes the next wait short again.
 */
export async function keepSubscribed(subscription: Subscription): Promise<void> {
  const { client, filter, clock, onOpen, onGap, isRefusal, signal } = subscription;
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    const begun = clock.monotonic();
    try {
      const open = await client.listen(filter, { timeout: ackMs, signal });
      onOpen?.();
      const why = await open.closed;
      if (why === "local") return;
    } catch (thrown) {
      if (signal.aborted || isRefusal(thrown)) return;
    }
    onGap();
    if (clock.monotonic() - begun > longestWaitMs) waitMs = firstWaitMs;
    await sleep(clock, waitMs, signal);
  }
}
