import type { SchemaRegistry } from "#core/contracts";
import type { Clock, Failpoint, IdSource } from "#core/values";
import type { LedgerRules } from "../ledger.ts";
import type { PayloadRedactor } from "../payload-redactor.ts";
import { defaultMaxPayloadBytes } from "../prepare.ts";
import type { Disk } from "./disk.ts";
import type { RecoveredSession } from "./recover.ts";

export interface JsonlLogOptions {
  /** The workspace. */
  readonly root: string;
  readonly schemas: SchemaRegistry;
  readonly redactor: PayloadRedactor;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How events become ledger entries; from the contracts by default. */
  readonly rules?: LedgerRules;
  readonly disk?: Disk;
  readonly failpoint?: Failpoint;
  readonly limits?: Partial<JsonlLimits>;
  /**
   * Called with the sessions of dead processes once their journals are finished: those that had closed may lack their
   * anchor.
   */
  readonly onRecovered?: (sessions: readonly RecoveredSession[]) => void;
}

export interface JsonlLimits {
  readonly maxPayloadBytes: number;
  /**
   * A journal generation ends above this size. With many open sessions it may grow to sixteen times as much, so that a
   * rotation pays.
   */
  readonly journalBytes: number;
  /** Durable bytes that may wait in memory for their session files. */
  readonly maxBehindBytes: number;
  /** How long the journal must be idle before session files are written. */
  readonly idleMs: number;
  /** How long the files of a session that is still open may be behind. */
  readonly pauseMs: number;
  /** How often a follower polls another process's session. */
  readonly pollMs: number;
  /** How long to wait for the workspace lock. */
  readonly lockWaitMs: number;
}

export const defaultLimits: JsonlLimits = {
  maxPayloadBytes: defaultMaxPayloadBytes,
  journalBytes: 32 * 1024 * 1024,
  maxBehindBytes: 8 * 1024 * 1024,
  idleMs: 20,
  pauseMs: 200,
  pollMs: 50,
  lockWaitMs: 10_000,
};
