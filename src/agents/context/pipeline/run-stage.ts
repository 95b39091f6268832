import type { AttentionStageV1 } from "#core/contracts";
import type { Result } from "#core/values";
import { custom } from "../stages/custom.ts";
import { fileRead } from "../stages/file-read.ts";
import { halting } from "../stages/halting.ts";
import { horizontalSearch } from "../stages/horizontal-search.ts";
import { ledgerQuery } from "../stages/ledger-query.ts";
import { registryQuery } from "../stages/registry-query.ts";
import { structuring } from "../stages/structuring.ts";
import { tierSelect } from "../stages/tier-select.ts";
import type { StageContext, StageOutcome } from "./stage.ts";

export async function runStage(stage: AttentionStageV1, context: StageContext): Promise<Result<StageOutcome>> {
  switch (stage.type) {
    case "tier_select":
      return tierSelect(stage, context);
    case "ledger_query":
      return ledgerQuery(stage, context);
    case "registry_query":
      return registryQuery(stage, context);
    case "file_read":
      return fileRead(stage, context);
    case "horizontal_search":
      return horizontalSearch(stage, context);
    case "structuring":
      return structuring(stage, context);
    case "halting":
      return halting(stage, context);
    case "custom":
      return custom(stage, context);
  }
}

/** Pure stages query no source, so they run even when the limits allow no further query. */
export function isPure(stage: AttentionStageV1): boolean {
  return stage.type === "tier_select" || stage.type === "structuring" || stage.type === "halting";
}
