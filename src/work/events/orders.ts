import type { EventKinds } from "#log";

type OrderEvent = "wo.started" | "wo.completed" | "wo.failed" | "wo.rejected" | "acceptance.checked";

export const orderKinds: EventKinds<OrderEvent> = {
  "wo.started": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ work_order_id, agent_class }) => ({ subject: "work order", text: `${work_order_id} · ${agent_class}` }),
      entry: ({ work_order_id }) => ({
        as: "row",
        sign: "work",
        text: `work order ${work_order_id} started`,
        isAtMargin: true,
      }),
    },
    isProblem: false,
  },
  "wo.completed": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ work_order_id }) => ({ subject: "work order", text: `${work_order_id} completed`, state: "done" }),
      entry: ({ outcome }) => ({ as: "row", sign: "work", text: `work order ${outcome.status}`, isAtMargin: true }),
    },
    isProblem: false,
  },
  "wo.failed": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ work_order_id }) => ({ subject: "work order", text: `${work_order_id} failed`, state: "failed" }),
      entry: ({ outcome }) => ({
        as: "row",
        sign: "work",
        text: `work order ${outcome.status}`,
        isAtMargin: true,
        isBad: true,
      }),
    },
    isProblem: true,
  },
  "wo.rejected": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ error }) => ({ subject: "work order", text: `rejected: ${error.message}`, state: "denied" }),
      entry: ({ error }) => ({
        as: "row",
        sign: "work",
        text: "work order rejected",
        isAtMargin: true,
        isBad: true,
        outcome: `${error.code}: ${error.message}`,
      }),
    },
    isProblem: true,
  },
  "acceptance.checked": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "gates",
      depth: 0,
      text: ({ passed }) => ({
        subject: "acceptance",
        text: passed ? "every check of the order passed" : "a check of the order failed",
        quiet: passed,
        ...(passed ? {} : { state: "failed" }),
      }),
      entry: ({ passed, gate_results }) => {
        const row = { as: "row", sign: "work", isAtMargin: true } as const;
        if (passed) return { ...row, text: "accepted" };
        const failed = gate_results.filter((result) => !result.passed).map(({ gate }) => gate);
        return { ...row, text: "not accepted", isBad: true, outcome: failed.join(", ") };
      },
    },
    isProblem: false,
  },
};
