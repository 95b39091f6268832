import type { Answer } from "#core/values";

/** Dropping what is out of date. */
export interface PruneStore {
  /**
   * Lets go of a bounded share of what ended and was claimed before then: answered and refused request keys, finished orders, and the
   * contexts of sessions. Sealed values are dropped once they are older than their own limit. What is sent again after that is new. Nothing left: all counts are 0.
   */
  prune(before: string, limit: number): Answer<Pruned>;
}

export interface Pruned {
  readonly request_keys: number;
  readonly work_orders: number;
  readonly contexts: number;
  readonly sealed_values: number;
}
