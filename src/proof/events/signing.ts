import type { EventKinds } from "#log";

export const signingKinds: EventKinds<"signing.rotated" | "store.accepted"> = {
  "signing.rotated": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "signing.rotated", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "signing.rotated" }),
    },
    isProblem: false,
  },
  "store.accepted": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ accepted_by, reason }, words) => ({
        subject: "store",
        text: words.plain(`taken as it is by ${accepted_by}: ${reason}`),
        state: "waiting",
      }),
      entry: ({ accepted_by, reason }) => ({
        as: "row",
        sign: "session",
        text: `store taken as it is by ${accepted_by}`,
        isAtMargin: true,
        isBad: true,
        outcome: reason,
      }),
    },
    isProblem: false,
  },
};
