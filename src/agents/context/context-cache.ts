import { canonicalJson, sha256 } from "#core/values";
import type { AssembledContext, AttentionRequest } from "./attention-service.ts";

export interface CachedContext {
  readonly context: AssembledContext;
  readonly session_id: string;
}

const capacity = 256;

/** The last whole context of a mandate, for `on_limit: use_cached`. Another work order never sees it. */
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

export function cacheKey(request: AttentionRequest, template_hash: string): string {
  return sha256(
    canonicalJson({
      template_hash,
      work_order_id: request.work_order_id,
      framework_id: request.framework_id,
      agent_class: request.agent_class,
      tier: request.tier,
      aperture: request.aperture ?? "closed",
      contract_id: request.contract?.contract_id ?? null,
    }),
  );
}
