import { decide, withParameters } from "../decision.ts";
import type { PolicyKindSpec } from "../policy-kind.ts";

/** Whether a phase runs in the mode of its cycle, and which artifacts it delivers there. */
export const modeDispatch: PolicyKindSpec<"mode-dispatch"> = {
  kind: "mode-dispatch",
  decisions: ["deny", "advisory", "allow"],
  unasked: "allow",
  synonyms: {},
  variables: { own: [], known: "any" },
  asked: "mode",
  judge: (policy, asked, facts) =>
    decide(policy, withParameters(policy, facts), {
      subject: asked,
      applies: ({ mode }) => mode === null || mode === asked,
    }),
  artifacts: ({ policy, rule }) => (rule === null ? null : (policy.rules[rule]?.artifacts ?? null)),
  denial: ({ policy, decision, subject, reason }) =>
    decision === "deny" ? `${policy.id} denies the mode ${subject}: ${reason}` : null,
  simulate: "by itself",
  check: {
    isAskedIn: () => true,
    cases: () => ["interactive", "autofix", "report-only", "headless"].map((mode) => ({ mode })),
  },
  studio: { marks: { deny: "denied", advisory: "idle", allow: "done" } },
};
