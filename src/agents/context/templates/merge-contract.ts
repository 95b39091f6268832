import type { AttentionStageV1, AttentionTemplateV1, PromptContractV1 } from "#core/contracts";
import type { Limits } from "../pipeline/meter.ts";

export interface PlannedStage {
  readonly stage: AttentionStageV1;
  readonly from: "template" | "contract";
}

export interface ReadingPlan {
  readonly stages: readonly PlannedStage[];
  readonly limits: Limits;
  readonly minFragments: number;
}

/**
 * A template and what a prompt contract requires, as one plan. The contract's stages come first, so that no halting and
 * no limit of the template can skip them; of two limits the lower one holds.
 */
export function mergeContract(
  template: Pick<AttentionTemplateV1, "pipeline" | "limits">,
  required: PromptContractV1["required_context"],
  bounds: { readonly defaults: Limits; readonly max_tokens?: number | undefined },
): ReadingPlan {
  const { defaults } = bounds;
  const stages: PlannedStage[] = [
    ...(required?.stages ?? []).map((stage) => ({ stage, from: "contract" as const })),
    ...template.pipeline.map((stage) => ({ stage, from: "template" as const })),
  ];
  const max_tokens = Math.min(
    template.limits?.max_tokens ?? defaults.max_tokens,
    required?.max_tokens ?? Number.POSITIVE_INFINITY,
    bounds.max_tokens ?? Number.POSITIVE_INFINITY,
  );
  return {
    stages,
    limits: {
      max_tokens: Math.max(0, Math.floor(max_tokens)),
      max_queries: template.limits?.max_queries ?? defaults.max_queries,
      timeout_ms: template.limits?.timeout_ms ?? defaults.timeout_ms,
    },
    minFragments: required?.min_fragments ?? 0,
  };
}
