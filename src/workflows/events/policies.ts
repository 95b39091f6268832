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
        decision,
        ...(decision === "deny" && !shadow ? { state: "denied" } : {}),
      }),
      entry: ({ policy_id, decision, reason }) => ({
        as: "row",
        sign: "gate",
        text: `policy ${policy_id}`,
        gate: { decision, by: policy_id, reason },
        ...(decision === "deny" ? { isBad: true } : {}),
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
      text: ({ by, reason, decision }) => ({ subject: "approval", text: `${by}: ${reason}`, decision }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.approval_given" }),
    },
    isProblem: false,
  },
};
