import type { JsonObject } from "#base";
import type { Policy } from "../definitions/cycle.ts";
import { type Finding, moreConservative, type Route, routes } from "../findings/finding.ts";
import { decide, type PolicyDecision, withParameters } from "./decision.ts";

export interface JudgedFindings {
  readonly findings: readonly Finding[];
  readonly suppressed: readonly Finding[];
  readonly decisions: readonly PolicyDecision[];
}

/**
 * confidence-gating and severity-routing, finding by finding. Where policies disagree the conservative one wins: what one
 * of them holds actionable is not suppressed, and the route is the most careful that any of them names. Shadows are asked
 * as well and change nothing.
 */
export function judgeFindings(
  policies: readonly Policy[],
  findings: readonly Finding[],
  facts: JsonObject,
): JudgedFindings {
  const decisions: PolicyDecision[] = [];
  const gating = policies.filter(({ kind }) => kind === "confidence-gating");
  const routing = policies.filter(({ kind }) => kind === "severity-routing");
  const ask = (policy: Policy, finding: Finding): PolicyDecision => {
    const decision = decide(policy, withParameters(policy, facts, { finding: finding as unknown as JsonObject }), {
      subject: finding.fingerprint ?? finding.id,
    });
    decisions.push(decision);
    return decision;
  };
  const kept: Finding[] = [];
  const suppressed: Finding[] = [];
  for (const finding of findings) {
    const gated = gating.map((policy) => ask(policy, finding)).filter(inForce);
    const isSuppressed = gated.length > 0 && gated.every(({ decision }) => decision === "suppressed");
    (isSuppressed ? suppressed : kept).push(finding);
  }
  const routed = kept.map((finding) => {
    const ways = routing
      .map((policy) => ask(policy, finding))
      .filter(inForce)
      .map(({ decision }) => decision)
      .filter((decision): decision is Route => routes.includes(decision as Route));
    const route = ways.reduce<Route | undefined>(
      (most, way) => (most === undefined ? way : moreConservative(routes, most, way)),
      undefined,
    );
    return route === undefined ? finding : { ...finding, route };
  });
  for (const policy of [...gating, ...routing])
    if (!decisions.some((decision) => decision.policy === policy)) decisions.push(nothingToJudge(policy));
  return { findings: routed, suppressed, decisions };
}

function inForce({ policy }: PolicyDecision): boolean {
  return !policy.shadow;
}

function nothingToJudge(policy: Policy): PolicyDecision {
  return { policy, decision: "allow", reason: "there is no finding to judge", rule: null, subject: null, failures: [] };
}
