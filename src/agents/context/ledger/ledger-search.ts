import type { Result } from "#core/values";
import type { Envelope, Tier } from "#log";

export type LedgerKind = "events" | "exec" | "evidence";

/** Which entries are wanted. An absent field asks for nothing; a list names alternatives. */
export interface LedgerQuery {
  readonly ledger: LedgerKind;
  readonly tiers: readonly Tier[];
  readonly session_id?: string;
  readonly work_order_id?: string;
  readonly framework_id?: string;
  /** The session that asks does not find itself. */
  readonly except_session_id?: string;
  readonly types?: readonly string[];
  readonly actors?: readonly string[];
  readonly agent_id?: string;
  /** Inclusive, ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  /** Entries with any of these words. */
  readonly words?: readonly string[];
  /** Payload fields and the values they must have. */
  readonly where?: Readonly<Record<string, string | number | boolean>>;
  readonly order: "newest" | "oldest";
  readonly limit: number;
}

export interface LedgerHit {
  readonly tier: Tier;
  readonly ledger: LedgerKind;
  /** Read from the log and proven. */
  readonly entry: Envelope;
}

export interface LedgerAnswer {
  readonly hits: readonly LedgerHit[];
  /** What the answer may lack, in words. */
  readonly warnings: readonly string[];
}

/** Looks through the closed sessions of a workspace. Every driver answers as `scanLedgers` does. */
export interface LedgerSearch {
  search(query: LedgerQuery, signal: AbortSignal): Promise<Result<LedgerAnswer>>;
}
