import type { Clock, DomainError } from "#base";
import type { Kernel } from "./kernel.ts";
import type { Lease } from "./records.ts";

export interface HeldLease {
  /** Aborts when the lease is lost, or when the keeper stops. Made when first asked for: a thousand items need none. */
  signal(): AbortSignal;
  /** The promise's value, or the other one as soon as the lease is lost or the keeper stops. */
  orWhenOver<T>(promise: Promise<T>, otherwise: T): Promise<T>;
  lost(): boolean;
  /** The worker's own monotonic time at which the lease is over, as far as it knows. */
  expiresAt(): number;
  release(): void;
}

export interface LeaseKeeper {
  hold(lease: Lease): HeldLease;
  /** Aborts everything that is held; the leases themselves are the holders' to hand back. */
  stop(): void;
}

interface Entry {
  readonly lease: Lease;
  controller: AbortController | undefined;
  /** Called when the lease is over for the worker. */
  end: (() => void) | undefined;
  over: boolean;
  lost: boolean;
  expiresAt: number;
}

/** Heartbeats: all leases of a worker together, three times in a lease's life, in one commit. */
export function keepLeases(options: {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly report: (problem: DomainError) => void;
}): LeaseKeeper {
  const { kernel, clock, leaseMs, report } = options;
  const held = new Set<Entry>();
  let cancel: (() => void) | undefined;

  const schedule = (): void => {
    cancel ??= clock.after(Math.max(1, Math.floor(leaseMs / 3)), () => {
      cancel = undefined;
      if (held.size === 0) return;
      for (const entry of held) void extend(entry);
      schedule();
    });
  };

  const extend = async (entry: Entry): Promise<void> => {
    const asked = clock.monotonic();
    const extended = await kernel.submit<"extend_lease">({
      kind: "extend_lease",
      lease: entry.lease,
      lease_ms: leaseMs,
    });
    if (extended.ok) entry.expiresAt = asked + leaseMs;
    else if (!held.has(entry))
      return; // it ended while the heartbeat was under way
    else if (!extended.error.retryable || clock.monotonic() >= entry.expiresAt) {
      entry.lost = true;
      report(extended.error);
      endEntry(entry);
    }
  };

  return {
    hold(lease) {
      const entry: Entry = {
        lease,
        controller: undefined,
        end: undefined,
        over: false,
        lost: false,
        expiresAt: clock.monotonic() + leaseMs,
      };
      held.add(entry);
      schedule();
      return {
        signal: () => {
          entry.controller ??= new AbortController();
          if (entry.over) entry.controller.abort();
          return entry.controller.signal;
        },
        orWhenOver: (promise, otherwise) =>
          new Promise((resolve, reject) => {
            entry.end = () => resolve(otherwise);
            if (entry.over) entry.end();
            promise.then(resolve, reject);
          }),
        lost: () => entry.lost,
        expiresAt: () => entry.expiresAt,
        release: () => {
          held.delete(entry);
          if (held.size > 0) return;
          cancel?.();
          cancel = undefined;
        },
      };
    },
    stop() {
      for (const entry of held) endEntry(entry);
    },
  };
}

function endEntry(entry: Entry): void {
  entry.over = true;
  entry.controller?.abort();
  entry.end?.();
}
