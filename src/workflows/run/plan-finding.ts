import type { EventPayloads } from "#core/contracts";
import type { JsonObject } from "#core/values";
import type { Grant } from "#governance";
import type { Finding } from "../findings/finding.ts";
import type { PolicyDecision } from "../policies/decision.ts";
import { permitFix } from "../policies/plan-dispatch.ts";
import type { CycleState } from "./state.ts";

export type FindingEnd = Pick<
  EventPayloads["workflow.finding_routed"],
  "outcome" | "reason" | "before_hash" | "after_hash" | "approval_id" | "by"
>;

/** A person's decision on a gated finding. */
export interface Nod {
  readonly isGiven: boolean;
  readonly reason: string;
}

/** Plan for a finding: it stays as it is, or its fix is applied with these rights. */
export type FindingPlan =
  | { readonly kind: "end"; readonly end: FindingEnd; readonly decisions: readonly PolicyDecision[] }
  | {
      readonly kind: "mend";
      readonly fix: NonNullable<Finding["fix"]>;
      readonly grants: readonly Grant[];
      readonly decisions: readonly PolicyDecision[];
    };

/** Pure, so that a run and a simulation agree. `nod` is null when no person was there to ask. */
export function planFinding(state: CycleState, facts: JsonObject, finding: Finding, nod: Nod | null): FindingPlan {
  const { route = "advisory" } = finding;
  switch (route) {
    case "apply":
      return planMend(state, facts, finding);
    case "gated":
      if (!nod) return left(`in the mode ${state.mode} there is nobody to ask`);
      if (!nod.isGiven) return left(`it was not let through: ${nod.reason}`);
      return finding.fix === undefined ? left(`it may stay: ${nod.reason}`) : planMend(state, facts, finding);
    case "manual":
      return left("a person mends it");
    case "advisory":
      return left("advice, for whoever reads the report");
  }
}

/** A fix has the rights of a worker: role-permissions grant paths, and the capability layer checks the write against them. */
function planMend(state: CycleState, facts: JsonObject, { fix }: Finding): FindingPlan {
  if (fix === undefined) return refused("its reviewer gave no fix that could be applied");
  if (state.mode === "report-only") return refused("the mode report-only writes nothing");
  const { decisions, denied, grants } = permitFix(state, facts, fix.file);
  return denied === null ? { kind: "mend", fix, grants, decisions } : { ...refused(denied), decisions };
}

/** Findings to settle: routed, new and not fixed yet. None when a policy denied in the same review. */
export function toSettle(findings: readonly Finding[], decisions: readonly PolicyDecision[]): readonly Finding[] {
  if (decisions.some(({ policy, decision }) => !policy.shadow && decision === "deny")) return [];
  return findings.filter(({ route, resolved }) => route !== undefined && resolved !== true);
}

/** The name of a finding in questions to policies and in events. */
export function nameOf({ fingerprint, id }: Pick<Finding, "fingerprint" | "id">): string {
  return fingerprint ?? id;
}

function refused(reason: string): Extract<FindingPlan, { readonly kind: "end" }> {
  return { kind: "end", end: { outcome: "refused", reason }, decisions: [] };
}

function left(reason: string): FindingPlan {
  return { kind: "end", end: { outcome: "left", reason }, decisions: [] };
}
