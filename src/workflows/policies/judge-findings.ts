import type { JsonObject } from "#core/values";
import type { Policy } from "../definitions/cycle.ts";
import type { Finding } from "../findings/finding.ts";
import type { PolicyDecision } from "./decision.ts";
import { kindsAsked } from "./policy-kinds.ts";

export interface JudgedFindings {
  readonly findings: readonly Finding[];
  readonly suppressed: readonly Finding[];
  readonly decisions: readonly PolicyDecision[];
}

/**
 * The kinds that judge findings, one after the other, finding by finding; each settles what the kinds before it kept. Shadows
 * are asked as well and change nothing.
 */
export function judgeFindings(
  policies: readonly Policy[],
  findings: readonly Finding[],
  facts: JsonObject,
): JudgedFindings {
  const decisions: PolicyDecision[] = [];
  const suppressed: Finding[] = [];
  let kept = findings;
  for (const { kind, judge, settle } of kindsAsked("finding")) {
    const own = policies.filter((policy) => policy.kind === kind);
    kept = kept.flatMap((finding) => {
      const said = own.map((policy) => judge(policy, finding, facts));
      decisions.push(...said);
      const settled = settle(
        finding,
        said.filter(({ policy }) => !policy.shadow),
      );
      if (settled !== "suppressed") return [settled];
      suppressed.push(finding);
      return [];
    });
  }
  const silent = kindsAsked("finding")
    .flatMap(({ kind }) => policies.filter((policy) => policy.kind === kind))
    .filter((policy) => !decisions.some((decision) => decision.policy === policy));
  return { findings: kept, suppressed, decisions: [...decisions, ...silent.map(nothingToJudge)] };
}

function nothingToJudge(policy: Policy): PolicyDecision {
  return { policy, decision: "allow", reason: "there is no finding to judge", rule: null, subject: null, failures: [] };
}
