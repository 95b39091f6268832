import type { EventKinds } from "../event-kind.ts";

export const sessionKinds: EventKinds<"session.start" | "session.close"> = {
  "session.start": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ framework_id, caller_id }) => ({
        subject: "session",
        text: `begins under ${framework_id ?? "its law"}, asked by ${caller_id ?? "someone"}`,
      }),
      entry: ({ tier }) => ({ as: "row", sign: "session", text: `session started on ${tier}`, isAtMargin: true }),
    },
    isProblem: false,
  },
  "session.close": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ ok, reason, status }) => ({
        subject: "session",
        text: ok ? "closed, all well" : `closed: ${reason ?? status}`,
        state: ok ? "done" : "failed",
      }),
      entry: ({ ok, reason, status }) => ({
        as: "row",
        sign: "session",
        text: `session closed: ${status}`,
        isAtMargin: true,
        ...(ok ? {} : { isBad: true }),
        ...(reason ? { outcome: reason } : {}),
      }),
    },
    isProblem: false,
  },
};
