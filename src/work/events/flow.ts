import type { EventKinds } from "#log";

type FlowEvent =
  | "strategy.chosen"
  | "aperture.changed"
  | "delegation.made"
  | "delegation.ended"
  | "recovery.decided"
  | "session.resumed"
  | "session.halted";

/** Event kinds of an order's flow. */
export const flowKinds: EventKinds<FlowEvent> = {
  "strategy.chosen": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ strategy, reason }) => ({ subject: "strategy", text: `${strategy}: ${reason}`, quiet: true }),
      entry: ({ strategy, reason }) => ({
        as: "row",
        sign: "work",
        text: `strategy ${strategy}`,
        isAtMargin: true,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
  "aperture.changed": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "aperture.changed", text: words.plain(payload), quiet: true }),
      entry: ({ from, to }) => ({ as: "row", sign: "work", text: `aperture ${from} to ${to}` }),
    },
    isProblem: false,
  },
  "delegation.made": {
    replay: ({ child_work_order_id }) => child_work_order_id,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ child_work_order_id }) => ({ subject: "delegation", text: `to ${child_work_order_id}` }),
      entry: ({ child_work_order_id }) => ({ as: "row", sign: "work", text: `hands down ${child_work_order_id}` }),
    },
    isProblem: false,
  },
  "delegation.ended": {
    replay: ({ child_work_order_id }) => child_work_order_id,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ child_work_order_id, status }) => ({
        subject: "delegation",
        text: `${child_work_order_id}: ${status}`,
        ...(status === "success" ? {} : { state: "failed" }),
      }),
      entry: ({ child_work_order_id, status }) => ({
        as: "row",
        sign: "work",
        text: `${child_work_order_id} came back: ${status}`,
        isBad: status !== "success",
      }),
    },
    isProblem: false,
  },
  "recovery.decided": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "recovery.decided", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "recovery.decided" }),
    },
    isProblem: false,
  },
  "session.resumed": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: () => ({ subject: "session", text: "taken up again" }),
      entry: ({ from_seq }) => ({
        as: "row",
        sign: "session",
        text: `resumed after event ${from_seq}`,
        isAtMargin: true,
      }),
    },
    isProblem: false,
  },
  "session.halted": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ reason }, words) => ({ subject: "halt", text: words.plain(reason), state: "waiting" }),
      entry: ({ by, reason }) => ({
        as: "row",
        sign: "session",
        text: `halted by ${by}`,
        isAtMargin: true,
        isBad: true,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
};
