import { type AttentionService, keptContext, readKeptContext } from "#attention";
import { ok } from "#base";
import type { LawStore } from "../law/law-store.ts";

/**
 * Attention that keeps what it assembled, and gives it back where the record says that it was assembled before: the
 * ledgers and files that it read have moved on meanwhile, and the prompts that were sent hold what they said then.
 */
export function keepingAttention(service: AttentionService, store: LawStore): AttentionService {
  return {
    async assemble(request, options) {
      const { recorder } = options;
      const before = recorder.past?.takeContext();
      if (before) {
        if (recorder.past?.of === "parent") {
          const { agent_id, work_order_id } = request;
          const payload = { ...before.payload, agent_id, work_order_id };
          const copied = recorder.stage({ type: "attention.assembled", actor: "attention", payload });
          if (!copied.ok) return copied;
        }
        const { context_hash } = before.payload;
        const kept = store.readContext(context_hash);
        return kept.ok ? readKeptContext(kept.value, context_hash) : kept;
      }
      const assembled = await service.assemble(request, options);
      if (!assembled.ok) return assembled;
      const { context_hash } = assembled.value;
      const kept = store.keepContext(context_hash, keptContext(assembled.value));
      return kept.ok ? ok(assembled.value) : kept;
    },
  };
}
