import type { EventKinds } from "#log";

export const reviewKinds: EventKinds<"review.result" | "review.escalated" | "evidence.folded"> = {
  "review.result": {
    replay: "by type",
    story: ({ verdict, feedback }, so) => {
      const word = verdict === "pass" ? so.pen.green(verdict) : so.pen.red(verdict);
      return [{ who: "reviewer", what: `${word}: ${so.pen.line(feedback)}`, right: so.bill("reviewer") }];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ verdict, feedback }) => ({
        subject: "reviewer",
        text: `verdict ${verdict}${verdict === "pass" ? "" : `: ${feedback ?? ""}`}`,
        state: verdict === "pass" ? "done" : "failed",
      }),
      entry: ({ verdict, feedback }) => ({
        as: "conclusion",
        outcome: `${verdict}: ${feedback}`,
        isBad: verdict === "fail",
      }),
    },
    isProblem: ({ verdict }) => verdict !== "pass",
  },
  "evidence.folded": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ evidence: { counts, files } }) => ({
        subject: "evidence",
        text: `${counts.ran} ran, ${counts.refused} refused, ${counts.failed} failed, ${files.length} files changed`,
        quiet: true,
      }),
      entry: ({ evidence: { counts, files } }) => ({
        as: "row",
        sign: "note",
        text: `evidence: ${counts.ran} ran, ${counts.refused} refused, ${counts.failed} failed, ${files.length} files`,
      }),
    },
    isProblem: false,
  },
  "review.escalated": {
    replay: "by type",
    story: ({ reason }, { pen }) => [
      { who: "", what: pen.yellow(`a person must decide: ${pen.line(reason)}`), right: "" },
    ],
    row: {
      lane: "model",
      depth: 1,
      text: ({ reason }) => ({ subject: "reviewer", text: `escalated: ${reason}`, state: "waiting" }),
      entry: ({ reason }) => ({
        as: "row",
        sign: "note",
        text: "a person must decide",
        isBad: true,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
};
