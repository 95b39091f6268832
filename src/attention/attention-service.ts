import type { Result } from "#base";
import type { Recorder } from "#events";

export interface AttentionRequest {
  readonly agent_id: string;
  readonly agent_class: string;
  readonly framework_id: string;
  readonly tier: "hot" | "ho2" | "ho1";
  readonly work_order_id: string;
  readonly session_id: string;
  readonly prompt: string;
  readonly template_id?: string;
}

/** A piece of context that knows where it came from and how far it is trusted. */
export interface Fragment {
  readonly origin: string;
  readonly trust: "trusted" | "untrusted";
  readonly text: string;
  readonly hash: string;
}

export interface AssembledContext {
  readonly text: string;
  readonly fragments: readonly Fragment[];
  readonly context_hash: string;
  readonly warnings: readonly string[];
}

/** Read-only: what an agent may read before it speaks. */
export interface AttentionService {
  assemble(
    request: AttentionRequest,
    options: { readonly recorder: Recorder; readonly signal: AbortSignal },
  ): Promise<Result<AssembledContext>>;
}
