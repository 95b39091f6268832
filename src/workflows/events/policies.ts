import type { EventKinds } from "#log";

/** What policies, signals and people decide in a cycle. */
export const policyEventKinds: EventKinds<
  "workflow.policy_gated" | "workflow.signal_failed" | "workflow.approval_given"
> = {
  "workflow.policy_gated": {
    replay: "by type",
    story: ({ policy_id, decision, reason, shadow }, so) => {
      so.isCycle = true;
      if (shadow || (decision !== "deny" && decision !== "halt")) return [];
      const what = so.pen.red(so.pen.line(`${decision}: ${reason}`));
      return [{ who: "", what, right: `by ${policy_id}` }];
    },
    row: {
      lane: "gates",
      depth: 0,
      text: ({ policy_id, decision, reason, shadow }) => ({
        subject: "policy",
        text: `${policy_id}: ${reason}`,
        // A policy that only watches changed nothing, so what it says is neither good nor bad.
        decision: shadow ? `would ${decision}` : decision,
        ...(shadow ? { state: "idle" } : decision === "allow" ? {} : { state: stateOf(decision) }),
      }),
      entry: ({ policy_id, decision, reason, shadow }) => ({
        as: "row",
        sign: "gate",
        text: shadow ? `policy ${policy_id} (only watches)` : `policy ${policy_id}`,
        gate: { decision: shadow ? `would ${decision}` : decision, by: policy_id, reason },
        ...(decision === "deny" && !shadow ? { isBad: true } : {}),
      }),
    },
    isProblem: false,
  },
  "workflow.signal_failed": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "gates",
      depth: 0,
      text: ({ expression, message }) => ({
        subject: "phase",
        text: `${expression} could not be decided: ${message}`,
        state: "failed",
      }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.signal_failed" }),
    },
    isProblem: false,
  },
  "workflow.approval_given": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "gates",
      depth: 0,
      text: ({ by, reason, decision }) => ({
        subject: "approval",
        text: `${by}: ${reason}`,
        decision,
        ...(decision === "approved" ? {} : { state: "denied" }),
      }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.approval_given" }),
    },
    isProblem: false,
  },
};

/** How a decision of a policy is shown: only what lets the cycle go on as it is stands without a mark. */
function stateOf(decision: string): "denied" | "waiting" | "idle" {
  if (decision === "deny" || decision === "halt") return "denied";
  return decision === "ask" || decision === "gated" || decision === "manual" ? "waiting" : "idle";
}
