import type { EventKinds } from "../event-kind.ts";

/** Events that the log records about itself. */
export const recordKinds: EventKinds<"log.recovered" | "event.amended" | "schema.violation"> = {
  "log.recovered": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "log.recovered", text: words.plain(payload), quiet: true }),
      entry: ({ cut_bytes }) => ({
        as: "row",
        sign: "note",
        text: `recovered: ${cut_bytes} bytes of an unfinished write cut off`,
        isAtMargin: true,
      }),
    },
    isProblem: false,
  },
  "event.amended": {
    replay: "never repeated",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "event.amended", text: words.plain(payload), quiet: true }),
      entry: ({ amends, reason }) => ({ as: "row", sign: "note", text: `corrects ${amends}: ${reason}` }),
    },
    isProblem: false,
  },
  "schema.violation": {
    replay: ({ schema_id, where }) => `${schema_id} ${where}`,
    story: ({ schema_id, message }, { pen, speaker }) => [
      { who: speaker, what: pen.yellow(`not valid ${schema_id}`), right: "" },
      { who: "", what: pen.dim(pen.line(message ?? "")), right: "" },
    ],
    row: {
      lane: "flow",
      depth: 0,
      text: ({ schema_id, where }) => ({
        subject: "schema",
        text: `${schema_id} refused what ${where} said`,
        state: "denied",
      }),
      entry: ({ schema_id, where }) => ({
        as: "row",
        sign: "note",
        text: `does not keep ${schema_id} (${where})`,
        isBad: true,
      }),
    },
    isProblem: true,
  },
};
