import type { Sha256 } from "../values/hash.ts";

/** What is known of a contract without opening its file. */
export interface ShippedSchema {
  /** Relative to Writ's own folder, or to the workspace. */
  readonly file: string;
  readonly sha256: Sha256;
  /** A payload contract of an event. */
  readonly event: boolean;
  readonly frozen: boolean;
  readonly title: string;
  readonly description?: string;
}

/** Which ledger entries an event yields: the `x-ledger` of its payload contract. */
export interface LedgerRule {
  /** Type of the L-EXEC entry, and of the L-EVIDENCE entry if there is one. */
  readonly exec: string;
  readonly exec_fields: readonly string[];
  /** Absent: the event leaves no evidence entry. */
  readonly evidence_fields?: readonly string[];
}
