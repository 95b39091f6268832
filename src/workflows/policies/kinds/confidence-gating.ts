import { findingCases, judgeFinding } from "../finding-rules.ts";
import { type PolicyKindSpec, reviews } from "../policy-kind.ts";

/** Which findings count. A finding is suppressed only if every policy in force suppresses it. */
export const confidenceGating: PolicyKindSpec<"confidence-gating"> = {
  kind: "confidence-gating",
  decisions: ["deny", "actionable", "suppressed"],
  unasked: "actionable",
  synonyms: { allow: "actionable", advisory: "actionable" },
  variables: { own: ["finding"], known: "any" },
  asked: "finding",
  judge: judgeFinding,
  settle: (finding, decisions) =>
    decisions.length > 0 && decisions.every(({ decision }) => decision === "suppressed") ? "suppressed" : finding,
  simulate: "with the finding",
  check: { isAskedIn: reviews, cases: findingCases },
  studio: { marks: { deny: "denied", actionable: "done", suppressed: "idle", allow: "done", advisory: "idle" } },
};
