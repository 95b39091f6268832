import type { SchemaRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import type { Clock, IdSource, Result } from "#core/values";
import type { AnchorLines } from "../event-log.ts";
import type { RecoveredSession } from "../jsonl/recover.ts";
import type { LedgerRules } from "../ledger.ts";
import type { PayloadRedactor } from "../payload-redactor.ts";
import { defaultMaxPayloadBytes } from "../prepare.ts";

export interface PostgresLogOptions {
  readonly postgres: Postgres;
  /** The tenant of the log; that of the address by default. */
  readonly tenant?: string;
  /** The workspace: snapshots are in its folders. */
  readonly root: string;
  readonly schemas: SchemaRegistry;
  readonly redactor: PayloadRedactor;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly rules?: LedgerRules;
  /** Reads the tenant's anchor log, where it is kept in the database. */
  readonly anchorLines?: (() => AnchorLines) | undefined;
  readonly limits?: Partial<PostgresLogLimits>;
  /**
   * Settles what the session of a dead process still holds. No process can open the session before this has resolved.
   */
  readonly onOrphan?: (session: RecoveredSession) => Promise<Result<void>>;
  /** Called with the sessions of dead processes: those that had closed may lack their anchor. */
  readonly onRecovered?: (sessions: readonly RecoveredSession[]) => void;
}

export interface PostgresLogLimits {
  readonly maxPayloadBytes: number;
  /** The most bytes in one statement. */
  readonly batchBytes: number;
  /** How long a writer counts as live after its last heartbeat. */
  readonly writerLeaseMs: number;
  /** How long staged events wait for a batch. */
  readonly idleMs: number;
  /** How often a follower polls another process's session. */
  readonly pollMs: number;
}

export const defaultLimits: PostgresLogLimits = {
  maxPayloadBytes: defaultMaxPayloadBytes,
  batchBytes: 8 * 1024 * 1024,
  writerLeaseMs: 15_000,
  idleMs: 20,
  pollMs: 100,
};
