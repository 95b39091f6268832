import type { Answer } from "#core/values";

/** Orders that were claimed, with their results. */
export interface OrderStore {
  /** The first of `count` numbers of that day (`YYYYMMDD`) that no other process will get. */
  takeWorkOrderNumbers(day: string, count: number): Answer<number>;
  /**
   * Claims orders before they act, all in one transaction; the answers stand in the order of the claims. An order that was
   * rejected acted nowhere and is free again under its id, except that one with a key keeps its first answer.
   */
  claimOrders(claims: readonly OrderClaim[]): Answer<readonly OrderClaimed[]>;
  /** Keeps the results of claimed orders, all in one transaction. */
  finishOrders(finished: readonly FinishedOrder[]): Answer<void>;
  /** An order that was claimed, with its result once it has one. */
  findOrder(work_order_id: string): Answer<ClaimedOrder | undefined>;
  /**
   * Orders that were claimed and have no result: at work, waiting, or left behind by a process that died. Oldest first;
   * the next page comes after the last of the one before.
   */
  unfinishedOrders(
    limit: number,
    after?: Pick<ClaimedOrder, "claimed_at" | "work_order_id">,
  ): Answer<readonly ClaimedOrder[]>;
  /** Gives up the claim on an order that never acted and has no result. */
  forgetOrder(work_order_id: string): Answer<void>;
}

export interface OrderClaim {
  readonly work_order_id: string;
  readonly idempotency_key: string | null;
  /** Keyed hash of the order: the same id with another content is another order under a stolen name. */
  readonly order_hash: string;
  readonly session_id: string;
}

export type OrderClaimed =
  | { readonly state: "new" }
  /** A process claimed it and has not finished it: it still runs, or it died. */
  | { readonly state: "running"; readonly work_order_id: string; readonly session_id: string | null }
  | { readonly state: "done"; readonly work_order_id: string; readonly result: string }
  | { readonly state: "different"; readonly work_order_id: string };

export interface ClaimedOrder {
  readonly work_order_id: string;
  readonly session_id: string | null;
  readonly claimed_at: string;
  readonly result: string | null;
}

export interface FinishedOrder {
  readonly work_order_id: string;
  readonly result: string;
}

/** An order as the events tell it. */
export interface RebuiltOrder extends Omit<OrderClaim, "session_id"> {
  /** Null where no process may go on with it unasked. */
  readonly session_id: string | null;
  readonly claimed_at: string;
  /** Null: it was begun, and no end of it is recorded. */
  readonly result: string | null;
}

export interface RecordedOrders {
  /** The highest number of each day (`YYYYMMDD`) that an order bore. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly orders: readonly RebuiltOrder[];
}
