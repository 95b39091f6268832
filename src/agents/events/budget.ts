import type { EventKinds } from "#log";

export const budgetKinds: EventKinds<"budget.updated"> = {
  "budget.updated": {
    // A reservation that no request names was made just before the stop: the same call makes it again.
    replay: ({ action, reservation_id, input_tokens }) => {
      if (action === "reserve") return `reserve ${input_tokens}`;
      return action === "settle" ? `settle ${reservation_id ?? ""}` : action;
    },
    story: "silent",
    row: {
      lane: "budget",
      depth: 2,
      text: ({ action, left }, words) => ({
        subject: "budget",
        text: `${action} · ${words.count(left?.tokens ?? 0)} tokens left`,
        quiet: action !== "refuse",
        ...(action === "refuse" ? { state: "denied" } : {}),
      }),
      entry: "left out", // every model call has two; the cost table sums them up
    },
    isProblem: false,
  },
};
