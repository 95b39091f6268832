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

/** What a person said to a finding that is gated. */
export interface Nod {
  readonly isGiven: boolean;
  readonly reason: string;
}

/** What becomes of a finding: it ends as it is, or its fix is put in place with these rights. */
export type FindingPlan =
  | { readonly kind: "end"; readonly end: FindingEnd; readonly decisions: readonly PolicyDecision[] }
  | {
      readonly kind: "mend";
      readonly fix: NonNullable<Finding["fix"]>;
      readonly grants: readonly Grant[];
      readonly decisions: readonly PolicyDecision[];
    };

/** Pure, so that a run and a simulation agree. Null: nobody was there to nod. */
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

/** By the rights of a worker: role-permissions are asked, and the capability layer holds what they grant against the write. */
function planMend(state: CycleState, facts: JsonObject, { fix }: Finding): FindingPlan {
  if (fix === undefined) return refused("its reviewer gave no fix that could be applied");
  if (state.mode === "report-only") return refused("the mode report-only writes nothing");
  const { decisions, denied, grants } = permitFix(state, facts, fix.file);
  return denied === null ? { kind: "mend", fix, grants, decisions } : { ...refused(denied), decisions };
}

/** Findings that are to be settled: routed, new and not mended yet. A denial in the same review settles none. */
export function toSettle(findings: readonly Finding[], decisions: readonly PolicyDecision[]): readonly Finding[] {
  if (decisions.some(({ policy, decision }) => !policy.shadow && decision === "deny")) return [];
  return findings.filter(({ route, resolved }) => route !== undefined && resolved !== true);
}

/** Under this name policies are asked about a finding and events tell of it. */
export function nameOf({ fingerprint, id }: Pick<Finding, "fingerprint" | "id">): string {
  return fingerprint ?? id;
}

function refused(reason: string): Extract<FindingPlan, { readonly kind: "end" }> {
  return { kind: "end", end: { outcome: "refused", reason }, decisions: [] };
}

function left(reason: string): FindingPlan {
  return { kind: "end", end: { outcome: "left", reason }, decisions: [] };
}
