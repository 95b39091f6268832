import type { ProviderCall } from "../../provider.ts";
import { followAgent } from "./follow-agent.ts";
import { followChangePlan, followChangeReview } from "./follow-change.ts";
import { followEditorial } from "./follow-editorial.ts";
import { followGrade } from "./follow-grade.ts";
import { followOutline } from "./follow-outline.ts";
import { followResearch } from "./follow-research.ts";
import type { Utterance } from "./utterance.ts";

/** What a contract asks for, done as plainly as can be, from what the call holds and nothing else. */
const followers: Readonly<Record<string, (call: ProviderCall) => Utterance>> = {
  "PRC-AGENT-001": followAgent,
  "PRC-GRADE-001": followGrade,
  "PRC-CHANGE-PLAN-001": followChangePlan,
  "PRC-CHANGE-REVIEW-001": followChangeReview,
  "PRC-EDITORIAL-001": followEditorial,
  "PRC-OUTLINE-001": followOutline,
  "PRC-RESEARCH-001": followResearch,
};

/** The scripted model where a prompt contract wants a document of a given shape; undefined where it is free. */
export function followContract(call: ProviderCall): Utterance | undefined {
  const { contract_id } = call.meta;
  return contract_id !== null && Object.hasOwn(followers, contract_id) ? followers[contract_id]?.(call) : undefined;
}
