import type { EventKinds } from "#log";

const quarantineWords = {
  kept: "turn in quarantine: what it wrote waits for a person",
  released: "turn released from quarantine: what it wrote is in the workspace",
  dropped: "turn dropped: what it wrote is gone",
} as const;

type TurnEvent =
  | "turn.started"
  | "turn.committed"
  | "turn.failed"
  | "turn.aborted"
  | "turn.quarantined"
  | "order.landed"
  | "order.quarantined";

const orderWords = {
  kept: "what the order wrote waits in quarantine",
  released: "what the order wrote was released from quarantine and is in the workspace",
  dropped: "what the order wrote was dropped",
} as const;

/** A turn that a resumed session runs is another one than those it has recorded, and leaves events of its own. */
export const turnKinds: EventKinds<TurnEvent> = {
  "turn.started": {
    replay: ({ turn_id }) => turn_id,
    story: "silent",
    row: {
      lane: "writes",
      depth: 2,
      text: () => ({ subject: "turn", text: "starts in its sandbox" }),
      entry: ({ turn_number, package_id }) => ({
        as: "row",
        sign: "work",
        text: `turn ${turn_number} of ${package_id} started`,
      }),
    },
    isProblem: false,
  },
  "turn.committed": {
    replay: ({ turn_id }) => turn_id,
    story: "silent",
    row: {
      lane: "writes",
      depth: 2,
      text: () => ({ subject: "turn", text: "declared = realized: committed", state: "done" }),
      entry: () => ({ as: "row", sign: "work", text: "turn committed: it wrote what it declared" }),
    },
    isProblem: false,
  },
  "turn.failed": {
    replay: ({ turn_id }) => turn_id,
    story: "silent",
    row: {
      lane: "writes",
      depth: 2,
      text: () => ({ subject: "turn", text: "failed, nothing landed", state: "failed" }),
      entry: ({ code, message }) => ({
        as: "row",
        sign: "work",
        text: "turn failed: nothing that it wrote landed",
        isBad: true,
        outcome: `${code}: ${message}`,
      }),
    },
    isProblem: true,
  },
  "turn.aborted": {
    replay: ({ turn_id }) => turn_id,
    story: "silent",
    row: {
      lane: "writes",
      depth: 2,
      text: () => ({ subject: "turn", text: "aborted, nothing landed", state: "failed" }),
      entry: ({ reason }) => ({ as: "row", sign: "work", text: "turn broken off", isBad: true, outcome: reason }),
    },
    isProblem: true,
  },
  "turn.quarantined": {
    replay: ({ turn_id, action }) => `${turn_id} ${action}`,
    story: "silent",
    row: {
      lane: "writes",
      depth: 2,
      text: () => ({ subject: "turn", text: "wrote what it had not declared: quarantined", state: "denied" }),
      entry: ({ action, by }) => ({
        as: "row",
        sign: "work",
        text: quarantineWords[action],
        ...(by === undefined ? {} : { outcome: `by ${by}` }),
      }),
    },
    isProblem: true,
  },
  "order.landed": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "writes",
      depth: 0,
      text: ({ outputs }) => ({ subject: "order", text: `landed: ${countOf(outputs)}`, state: "done" }),
      entry: ({ outputs, into }) => ({
        as: "row",
        sign: "work",
        text: `${countOf(outputs)} landed in ${into === "workspace" ? "the workspace" : `the layer of ${into}`}`,
      }),
    },
    isProblem: false,
  },
  "order.quarantined": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "writes",
      depth: 0,
      text: ({ action }) => ({ subject: "order", text: orderWords[action], state: "denied" }),
      entry: ({ action, by }) => ({
        as: "row",
        sign: "work",
        text: orderWords[action],
        ...(by === undefined ? {} : { outcome: `by ${by}` }),
      }),
    },
    isProblem: true,
  },
};

function countOf(outputs: readonly { readonly change?: string }[]): string {
  const files = outputs.filter(({ change }) => change !== "folder" && change !== "mode").length;
  return `${files} ${files === 1 ? "file" : "files"}`;
}
