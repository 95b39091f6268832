/** Ends the loop once the work has reached its end. Only a failed review may go on to rework, and the runtime's bounds still hold. */
export default {
  id: "stop-after-terminal",
  points: ["Stop"],
  priority: 10,
  decide: ({ verdict }) =>
    verdict === "fail"
      ? { decision: "allow", reason: "the review failed: rework may go on within its bounds" }
      : { decision: "deny", reason: "loop reached terminal state" },
};
