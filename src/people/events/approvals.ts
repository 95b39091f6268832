import type { EventKinds } from "#log";

export const approvalEvents: EventKinds<"approval.requested" | "approval.decided"> = {
  "approval.requested": {
    replay: ({ approval_id }) => approval_id,
    story: "silent",
    row: {
      lane: "gates",
      depth: 2,
      text: ({ title, reason }) => ({
        subject: "approval",
        text: `asked for: ${title} (${reason})`,
        state: "waiting",
      }),
      entry: ({ title, reason }) => ({
        as: "row",
        sign: "note",
        text: `waits for a person: ${title}`,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
  "approval.decided": {
    replay: ({ approval_id }) => approval_id,
    story: "silent",
    row: {
      lane: "gates",
      depth: 2,
      text: ({ by, choice, reason }) => ({
        subject: "approval",
        text: `by ${by}${reason ? `: ${reason}` : ""}`,
        decision: choice,
        ...(/^(deny|drop|reject)/.test(choice) ? { state: "denied" } : {}),
      }),
      entry: ({ by, choice, reason }) => ({
        as: "row",
        sign: "note",
        text: `${by}: ${choice}`,
        ...(reason === "" ? {} : { outcome: reason }),
      }),
    },
    isProblem: false,
  },
};
