import type { ProviderCall, Rehearse, Utterance } from "#agents";
import { rehearseAgent } from "./rehearse-agent.ts";
import { rehearseChangePlan, rehearseChangeReview } from "./rehearse-change.ts";
import { rehearseEditorial } from "./rehearse-editorial.ts";
import { rehearseFileChange } from "./rehearse-file-change.ts";
import { rehearseOutline } from "./rehearse-outline.ts";
import { rehearseResearch } from "./rehearse-research.ts";

const byContract: Readonly<Record<string, Rehearse>> = {
  "PRC-AGENT-001": rehearseAgent,
  "PRC-CHANGE-PLAN-001": rehearseChangePlan,
  "PRC-CHANGE-REVIEW-001": rehearseChangeReview,
  "PRC-EDITORIAL-001": rehearseEditorial,
  "PRC-OUTLINE-001": rehearseOutline,
  "PRC-RESEARCH-001": rehearseResearch,
};

/** The scripted model's answers for the apps and workers that Writ ships. A file of a change has no contract. */
export function rehearseApps(call: ProviderCall): Utterance | undefined {
  const { contract_id } = call.meta;
  const isKnown = contract_id !== null && Object.hasOwn(byContract, contract_id);
  return isKnown ? byContract[contract_id]?.(call) : rehearseFileChange(call);
}
