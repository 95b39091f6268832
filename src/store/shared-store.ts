import type { Answer } from "#base";
import type { ApprovalQuery, StoredApproval, StoredWord } from "./approvals.ts";
import type { RateAsk, RateLimits, RateSlice } from "./rate-bucket.ts";
import type { RequestKeyAnswer, RequestKeyClaim, RequestKeyClaimed } from "./request-keys.ts";

/**
 * What several processes of one workspace hold in common. Rebuilt from the events if it is lost. The embedded driver
 * answers at once, PostgreSQL later: whoever asks, waits.
 */
export interface SharedStore {
  /** The first of `count` numbers of that day (`YYYYMMDD`) that no other process will get. */
  takeWorkOrderNumbers(day: string, count: number): Answer<number>;
  /**
   * An order takes its share of a pool, or is refused: the sum of all shares never exceeds the limits. A session that goes
   * on takes its share again, in place of what was settled when it stopped. Answers the pool: that of the first time.
   */
  takeBudgetShare(pool: PoolLimits, share: BudgetShare): Answer<string>;
  /** The share becomes what was spent of it. A share that is settled already, or was never taken, stays as it is. */
  settleBudgetShare(pool_id: string, share: BudgetShare): Answer<void>;
  /** Shares that a session took and nobody settled: its process died, or it is still at work. */
  openBudgetShares(session_id: string): Answer<readonly OpenShare[]>;
  /** Claims orders before they act, all in one transaction; the answers stand in the order of the claims. */
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
  /** Orders a stop: of a session, or of everything (null). Ordered twice, the first stands. */
  halt(halt: Omit<StandingHalt, "halted_at">): Answer<void>;
  /** Ends a stop; undefined ends all of them. Answers how many there were. */
  liftHalt(session_id: string | null | undefined): Answer<number>;
  halts(): Answer<readonly StandingHalt[]>;
  /** The tools of servers that a person approved. */
  toolPins(): Answer<readonly StoredToolPin[]>;
  /** Approvals given and taken back, all in one transaction. */
  changeToolPins(changes: ToolPinChanges): Answer<void>;
  /** Claims the key of a write over the network, so that it happens once however often it is asked for. */
  claimRequestKey(claim: RequestKeyClaim): Answer<RequestKeyClaimed>;
  finishRequestKey(answer: RequestKeyAnswer): Answer<void>;
  /** Nothing was made. Asked for again it is as before, under the same name; once it is old, `prune` lets go of it. */
  refuseRequestKey(name: string): Answer<void>;
  /** Every API key that was ever made, oldest first. */
  apiKeys(): Answer<readonly StoredApiKey[]>;
  findApiKey(key_id: string): Answer<StoredApiKey | undefined>;
  addApiKey(key: StoredApiKey): Answer<void>;
  /** False when there is no such key, or it was revoked before. */
  revokeApiKey(key_id: string, revoked: { readonly revoked_at: string; readonly revoked_by: string }): Answer<boolean>;
  /** Puts a question to people. Asked again, it is the one that is there, with what was decided. */
  addApproval(asked: StoredApproval): Answer<StoredApproval>;
  findApproval(approval_id: string): Answer<StoredApproval | undefined>;
  /** The newest first. */
  approvals(query: ApprovalQuery): Answer<readonly StoredApproval[]>;
  /** Says a word on a question. False when it is about something else, when a word stands, or when it is too late. */
  sayWord(said: {
    readonly approval_id: string;
    readonly subject_hash: string;
    readonly word: StoredWord;
    readonly at: string;
  }): Answer<boolean>;
  /** Nothing came of the word: the question is as if nobody had spoken. False when it does not stand, or was carried out. */
  takeBackWord(said: { readonly approval_id: string; readonly choice: string }): Answer<boolean>;
  /** The word that stands has been carried out. False when another stands, or none, or this was told before. */
  decideApproval(decided: {
    readonly approval_id: string;
    readonly choice: string;
    readonly at: string;
  }): Answer<boolean>;
  /** A slice of what all processes together may start in a minute, or how long to wait for it. */
  takeRate(bucket_id: string, limits: RateLimits, ask: RateAsk): Answer<RateSlice>;
  /**
   * Lets go of a bounded share of what ended and was claimed before then: answered and refused request keys, finished orders, and the
   * contexts of sessions. What is sent again after that is new. Nothing left: all counts are 0.
   */
  prune(before: string, limit: number): Answer<Pruned>;
  close(): void | Promise<void>;
}

export interface Pruned {
  readonly request_keys: number;
  readonly work_orders: number;
  readonly contexts: number;
}

export interface StoredApiKey {
  readonly key_id: string;
  /** Of the whole key; the key itself is nowhere. */
  readonly key_sha256: string;
  readonly caller_id: string;
  /** Of the caller's grants, those that the key has; null: all of them. */
  readonly scope: readonly string[] | null;
  readonly note: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
}

export interface StandingHalt {
  readonly session_id: string | null;
  readonly by: string;
  readonly reason: string;
  readonly halted_at: string;
}

export interface StoredToolPin {
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  /** As Writ calls it. */
  readonly name: string;
  readonly hash: string;
  /** How the server was reached, as canonical JSON. */
  readonly launch: string;
  /** The whole definition, as canonical JSON. */
  readonly definition: string;
  readonly approved_at: string;
  readonly approved_by: string;
}

export interface ToolPinChanges {
  readonly put: readonly StoredToolPin[];
  readonly drop: readonly Pick<StoredToolPin, "server" | "tool">[];
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
  /** Somebody claimed it and has not finished: at work, or dead. */
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

export interface PoolLimits {
  /** Names the pool and, where it is renewed, its period: `workspace/2026-11-15`. */
  readonly pool_id: string;
  readonly token_limit: number | null;
  readonly usd_limit: number | null;
}

export interface BudgetShare {
  readonly session_id: string;
  readonly work_order_id: string;
  readonly tokens: number;
  readonly usd: number;
}

export interface OpenShare {
  readonly pool_id: string;
  readonly work_order_id: string;
}
