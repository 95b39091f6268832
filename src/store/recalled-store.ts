import type { StoredApproval } from "./approvals.ts";
import type { BudgetShare, OrderClaim, StandingHalt, StoredApiKey, StoredToolPin } from "./shared-store.ts";

/** What a shared store held, as the events tell it. Of what is told twice, the first counts. */
export interface RecalledStore {
  /** The highest number of each day (`YYYYMMDD`) that an order bore. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly shares: readonly SpentShare[];
  readonly orders: readonly RecalledOrder[];
  readonly halts: readonly StandingHalt[];
  readonly approvals: readonly StoredApproval[];
  readonly toolPins: readonly StoredToolPin[];
  readonly apiKeys: readonly StoredApiKey[];
}

/** What an order spent of a pool. */
export interface SpentShare extends BudgetShare {
  readonly pool_id: string;
}

export interface RecalledOrder extends Omit<OrderClaim, "session_id"> {
  /** Null where nobody may go on with it unasked. */
  readonly session_id: string | null;
  readonly claimed_at: string;
  /** Null: it was begun, and no end of it is recorded. */
  readonly result: string | null;
}
