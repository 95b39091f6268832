import type { EventPayloads } from "#core/contracts";
import { ok } from "#core/values";
import type { ContractStore } from "#governance";
import type { AttentionRequest, AttentionService } from "./attention-service.ts";
import { fileOf } from "./fragment.ts";
import { keptContext, readKeptContext } from "./kept-context.ts";

/**
 * Attention that keeps what it assembled, and gives it back where the record says that it was assembled before: the
 * ledgers and files that it read have moved on meanwhile, and the prompts that were sent hold what they said then.
 */
export function keepingAttention(service: AttentionService, store: ContractStore): AttentionService {
  return {
    async assemble(request, options) {
      const { recorder } = options;
      const before = recorder.past?.takeContext();
      if (before && mayBeGiven(before.payload, request, recorder.past?.of)) {
        if (recorder.past?.of === "parent") {
          const { agent_id, work_order_id } = request;
          const payload = { ...before.payload, agent_id, work_order_id };
          const copied = recorder.stage({ type: "attention.assembled", actor: "attention", payload });
          if (!copied.ok) return copied;
        }
        const { context_hash } = before.payload;
        const brought = await store.bringContext(context_hash);
        if (!brought.ok) return brought;
        const kept = store.readContext(context_hash);
        if (kept.ok) return readKeptContext(kept.value, context_hash);
        // Its process died between the record and the keeping, so no prompt held it yet: it is assembled anew. Had one
        // been sent after all, the record of that would not fit what is asked now, and the flow would stop there.
        if (kept.error.code !== "NOT_FOUND" || recorder.past?.of === "parent") return kept;
      }
      const assembled = await service.assemble(request, options);
      if (!assembled.ok || options.isPreview) return assembled;
      const { context_hash } = assembled.value;
      const written = store.keepContext(context_hash, keptContext(assembled.value));
      const kept = written.ok ? await store.share() : written;
      return kept.ok ? ok(assembled.value) : kept;
    },
  };
}

/**
 * A session goes on with what it was given. A fork runs under an order of its own: what its parent read is assembled anew
 * where that order may not read it.
 */
function mayBeGiven(
  { fragments, reads = [], reads_count = 0 }: EventPayloads["attention.assembled"],
  { mandate }: AttentionRequest,
  past: "own" | "parent" | undefined,
): boolean {
  if (past !== "parent") return true;
  const isWhole = reads_count <= reads.length;
  return fragments.every(({ origin }) => {
    const path = fileOf(origin);
    if (path === undefined) return true;
    // A shipped registry is no file of the workspace: it is not in the list of reads, and no mandate decides about it.
    const isRead = reads.some((file) => file.path === path || file.path.endsWith(`/${path}`));
    if (origin.startsWith("registry:") && isWhole && !isRead) return true;
    return mandate.decide({ kind: "read", path }).allowed;
  });
}
