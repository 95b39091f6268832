import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";

/**
 *              failures reach the threshold
 *   closed ───────────────────────────────────► open
 *     ▲                                          │ recovery time passed
 *     │ the probe succeeds                       ▼
 *     └────────────────────────────────────── half-open ──► open   (the probe fails)
 */
export interface CircuitBreaker {
  /** Whether a call may start; in half-open only a few probes at a time may. */
  admit(): Result<void>;
  succeeded(): void;
  failed(): void;
  /** The call ended without telling anything about the provider; a probe gives its place back. */
  abandoned(): void;
  readonly state: "closed" | "open" | "half-open";
}

export interface CircuitLimits {
  readonly failure_threshold: number;
  readonly recovery_ms: number;
  /** Probes at a time. */
  readonly half_open_calls: number;
}

export function createCircuitBreaker(provider: string, limits: CircuitLimits, clock: Clock): CircuitBreaker {
  let failures = 0;
  let openedAt: number | undefined;
  let probes = 0;

  const state = () => {
    if (openedAt === undefined) return "closed" as const;
    return clock.monotonic() - openedAt >= limits.recovery_ms ? ("half-open" as const) : ("open" as const);
  };
  return {
    get state() {
      return state();
    },
    admit() {
      const now = state();
      if (now === "closed") return ok(undefined);
      if (now === "half-open" && probes < limits.half_open_calls) {
        probes += 1;
        return ok(undefined);
      }
      const wait = Math.max(0, Math.ceil(limits.recovery_ms - (clock.monotonic() - (openedAt ?? 0))));
      return err(
        domainError(
          "CIRCUIT_OPEN",
          `${provider} failed ${failures} times in a row and is left alone for ${wait} ms more`,
          {
            details: { provider, failures, retry_after_ms: wait },
          },
        ),
      );
    },
    succeeded() {
      failures = 0;
      openedAt = undefined;
      probes = 0;
    },
    failed() {
      failures += 1;
      if (probes > 0 || failures >= limits.failure_threshold) openedAt = clock.monotonic();
      probes = 0;
    },
    abandoned() {
      probes = Math.max(0, probes - 1);
    },
  };
}
