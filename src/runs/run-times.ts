import type { WritConfig } from "#workspace";
import { defaultLimits, type KernelLimits } from "./kernel/limits.ts";

/** What `conductor` in writ.yaml says of runs, leases and workers, in milliseconds. */
export interface RunTimes {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly pollMs: number;
  /** How long a closed run stays in the tables; undefined keeps it for good. */
  readonly closedForMs: number | undefined;
  readonly limits: KernelLimits;
}

const dayMs = 86_400_000;

export function runTimes({ conductor }: Pick<WritConfig, "conductor">): RunTimes {
  const { lease_seconds, heartbeat_seconds, poll_seconds, retries, backoff_seconds, archive_after_days } = conductor;
  return {
    leaseMs: lease_seconds * 1_000,
    heartbeatMs: heartbeat_seconds * 1_000,
    pollMs: poll_seconds * 1_000,
    closedForMs: archive_after_days === null ? undefined : archive_after_days * dayMs,
    limits: { ...defaultLimits, maxRetries: retries, retryBackoffMs: backoff_seconds * 1_000 },
  };
}
