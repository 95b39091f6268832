import type { EventKinds } from "#log";

export const signingKinds: EventKinds<"signing.rotated"> = {
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
};
