import type { EventKinds } from "#log";

export const keyKinds: EventKinds<"key.created" | "key.revoked"> = {
  "key.created": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "key.created", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "key.created" }),
    },
    isProblem: false,
  },
  "key.revoked": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "key.revoked", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "key.revoked" }),
    },
    isProblem: false,
  },
};
