import type { EventKinds } from "#log";

/** What people decide about the tools of MCP servers. */
export const serverKinds: EventKinds<"tool.approved" | "tool.withdrawn" | "mcp.authorized"> = {
  "tool.approved": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "tool.approved", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "tool.approved" }),
    },
    isProblem: false,
  },
  "tool.withdrawn": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "tool.withdrawn", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "tool.withdrawn" }),
    },
    isProblem: false,
  },
  "mcp.authorized": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "mcp.authorized", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "mcp.authorized" }),
    },
    isProblem: false,
  },
};
