import { decide, type PolicyDecision, withParameters } from "../decision.ts";
import { oscillates } from "../loop-history.ts";
import type { PolicyKindSpec } from "../policy-kind.ts";

/**
 * When a cycle stops repeating itself. The parameters are bounds by themselves: more generations than allowed, findings that
 * go back and forth within the window, or a grade that falls, end the loop whatever the rules say. Then the rules; deny ends
 * it too.
 */
export const loopHalt: PolicyKindSpec<"loop-halt"> = {
  kind: "loop-halt",
  decisions: ["halt", "continue"],
  unasked: "continue",
  synonyms: {
    deny: "halt",
    allow: "continue",
    advisory: "continue",
    suppressed: "continue",
    actionable: "continue",
    apply: "continue",
    gated: "continue",
    manual: "continue",
  },
  variables: { own: [], known: "any" },
  asked: "loop",
  judge: (policy, { generation, history, grades }, facts) => {
    const { max_generations, oscillation_window } = policy.definition.data.parameters ?? {};
    const halt = (reason: string): PolicyDecision => ({
      policy,
      decision: "halt",
      reason,
      rule: null,
      subject: null,
      failures: [],
    });
    if (max_generations !== undefined && generation > max_generations)
      return halt(`generation ${generation} of at most ${max_generations}`);
    if (oscillation_window !== undefined && oscillates(history, oscillation_window))
      return halt(`the findings go back and forth within ${oscillation_window} turns`);
    const [grade, before] = [grades.at(-1), grades.at(-2)];
    if (policy.grade && grade !== undefined && before !== undefined && grade < before)
      return halt(`the grade fell from ${before} to ${grade}`);
    return decide(policy, withParameters(policy, facts));
  },
  simulate: "by itself",
  check: { isAskedIn: () => true, cases: () => [{}] },
  studio: { marks: { halt: "denied", deny: "denied", continue: "done", allow: "done" } },
};
