import type { EventKinds } from "#log";

/** Event kinds of a thread's sessions. */
export const threadKinds: EventKinds<"thread.continued" | "thread.message"> = {
  "thread.continued": {
    replay: ({ before_hash, after_hash }) => `${before_hash} ${after_hash}`,
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ continues, messages }, { count }) => ({
        subject: "thread",
        text: `goes on from ${continues} (${count(messages)} messages) under other instructions`,
        quiet: true,
      }),
      entry: ({ continues, messages }) => ({
        as: "row",
        sign: "work",
        text: `goes on from ${continues} with ${messages} messages, under other instructions`,
        isAtMargin: true,
      }),
    },
    isProblem: false,
  },
  "thread.message": {
    replay: ({ message_id }) => message_id,
    story: ({ by, text }, { pen }) => [{ who: by, what: pen.line(text), right: "" }],
    row: {
      lane: "flow",
      depth: 1,
      text: ({ by, text }) => ({ subject: by, text: `adds: ${text}` }),
      entry: ({ by, text }) => ({ as: "row", sign: "note", text: `${by} adds: ${text}` }),
    },
    isProblem: false,
  },
};
