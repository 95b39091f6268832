import type { EventKinds } from "#log";

export const approvalEvents: EventKinds<"approval.requested" | "approval.decided"> = {
  "approval.requested": {
    replay: ({ approval_id }) => approval_id,
    // A call that a hook asked about has the hook's own line already.
    story: ({ kind, subject, reason }, { pen, speaker, gate }) => {
      if (kind !== "tool_call" || gate?.decision === "ask" || !isCall(subject)) return [];
      return [
        {
          who: speaker,
          what: pen.call(String(subject.tool), subject.args),
          right: pen.yellow("waits for a person"),
        },
        { who: "", what: pen.dim(`rule: ${pen.line(reason)}`), right: "" },
      ];
    },
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

/** Asked here and not of `#core`: the studio shows these rows too, and a browser has no files. */
function isCall(subject: unknown): subject is { readonly tool?: unknown; readonly args?: unknown } {
  return typeof subject === "object" && subject !== null;
}
