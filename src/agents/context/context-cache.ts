import { canonicalJson, sha256 } from "#core/values";
import { readableSet } from "#governance/mandate";
import type { AssembledContext, AttentionRequest } from "./attention-service.ts";

export interface CachedContext {
  readonly context: AssembledContext;
  readonly session_id: string;
}

const capacity = 256;

/** The last whole context of a mandate, for `on_limit: use_cached`. Another work order never sees it, nor one that may read other files. */
export class ContextCache {
  readonly #kept = new Map<string, CachedContext>();

  get(key: string): CachedContext | undefined {
    return this.#kept.get(key);
  }

  put(key: string, cached: CachedContext): void {
    this.#kept.delete(key);
    this.#kept.set(key, cached);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > capacity && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Of an order and its agent, whatever the aperture: a narrower template may fall back on what a wider one has read. */
export function cacheKey(request: AttentionRequest): string {
  return sha256(
    canonicalJson({
      work_order_id: request.work_order_id,
      framework_id: request.framework_id,
      agent_class: request.agent_class,
      tier: request.tier,
      contract_id: request.contract?.contract_id ?? null,
      readable: readableSet(request.mandate.document).hash,
    }),
  );
}
