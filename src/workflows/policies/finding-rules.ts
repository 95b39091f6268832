import type { JsonObject } from "#core/values";
import type { Policy } from "../definitions/cycle.ts";
import { autofixClasses, confidences, type Finding, severities } from "../findings/finding.ts";
import { decide, type PolicyDecision, withParameters } from "./decision.ts";

/** The rules of a policy, asked about one finding. */
export function judgeFinding(policy: Policy, finding: Finding, facts: JsonObject): PolicyDecision {
  return decide(policy, withParameters(policy, facts, { finding: finding as unknown as JsonObject }), {
    subject: finding.fingerprint ?? finding.id,
  });
}

/** Every finding that rules can tell apart by what has few values. */
export function findingCases(): readonly JsonObject[] {
  const all: JsonObject[] = [];
  for (const severity of severities)
    for (const autofix_class of autofixClasses)
      for (const confidence of confidences)
        for (const pre_existing of [false, true])
          for (const resolved of [false, true])
            all.push({ finding: { severity, autofix_class, confidence, pre_existing, resolved } });
  return all;
}
