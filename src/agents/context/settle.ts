import type { AttentionTemplateV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { AssembledContext } from "./attention-service.ts";
import type { CachedContext } from "./context-cache.ts";
import { contextHash } from "./fragment.ts";
import { limitReached } from "./pipeline/meter.ts";
import { type PipelineRun, tokensOf } from "./pipeline/run-pipeline.ts";
import { fitTokens } from "./prompt/fit-tokens.ts";
import { buildPrompt } from "./prompt/prompt-builder.ts";
import type { ReadingPlan } from "./templates/merge-contract.ts";
import { estimateTokens } from "./tokens.ts";

type Policies = Pick<AttentionTemplateV1, "on_limit" | "on_empty"> & { readonly template_id: string | null };

export interface Settled {
  readonly result: Result<AssembledContext>;
  readonly cachedFrom?: string;
}

/** What becomes of a run: the template's policies decide. Pure. */
export function settle(
  template: Policies,
  plan: ReadingPlan,
  run: PipelineRun,
  cached: CachedContext | undefined,
): Settled {
  if (run.error) return failed(run.error);
  const { max_tokens } = plan.limits;
  const tooMany = tokensOf(run.fragments) > max_tokens;
  const limit =
    run.limit ??
    (tooMany ? limitReached("max_tokens", `it may bring ${max_tokens} tokens (limits.max_tokens)`) : undefined);
  const onLimit = template.on_limit;
  if (limit && onLimit === "use_cached") {
    if (!cached || cached.context.tokens > max_tokens)
      return failed(
        domainError(limit.code, `${limit.message}, and no earlier context of this work order is kept`, {
          details: limit.details,
        }),
      );
    const warnings = [...run.warnings, `${limit.message}; the context of ${cached.session_id} is used again`];
    return { result: ok({ ...cached.context, outcome: "cached", warnings }), cachedFrom: cached.session_id };
  }
  if (limit && onLimit !== "return_partial") return failed(limit);
  const fragments = tooMany ? fitTokens(run.fragments, max_tokens) : run.fragments;
  if (fragments.length < plan.minFragments)
    return failed(
      empty(`the prompt contract requires ${plan.minFragments} fragments of context, ${fragments.length} were found`),
    );
  if (fragments.length === 0 && template.on_empty !== "proceed")
    return failed(
      empty(`${template.template_id} found no context, and its on_empty is ${template.on_empty ?? "fail"}`),
    );
  const text = buildPrompt(fragments);
  const warnings = limit ? [...run.warnings, `${limit.message}; the context is partial`] : run.warnings;
  return {
    result: ok({
      text,
      fragments,
      context_hash: contextHash(fragments),
      tokens: estimateTokens(text),
      template_id: template.template_id,
      outcome: limit ? "partial" : fragments.length === 0 ? "empty" : run.halted ? "halted" : "complete",
      warnings,
    }),
  };
}

function empty(message: string): DomainError {
  return domainError("ATTENTION_EMPTY", message);
}

function failed(error: DomainError): Settled {
  return { result: err(error) };
}
