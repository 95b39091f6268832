import type { Answer } from "#core/values";
import type { CountedLink } from "../check-chain.ts";

/** Uses of signed links, counted by the orders that act by them. */
export interface GrantUseStore {
  /**
   * Takes one use of each link for an order, all or none; the hash of a link that has none left, or null. An order that
   * took its uses before, in this process or in one that died, takes no second one.
   */
  takeGrantUses(work_order_id: string, links: readonly CountedLink[]): Answer<string | null>;
}

export interface GrantUse {
  readonly link_hash: string;
  readonly work_order_id: string;
  readonly used_at: string;
}
