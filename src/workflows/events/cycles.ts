import type { EventKinds } from "#log";

/** A cycle as a whole. */
export const cycleKinds: EventKinds<
  "workflow.started" | "workflow.completed" | "workflow.aborted" | "workflow.artifact_written"
> = {
  "workflow.started": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ cycle_id, entry_phase }) => ({ subject: "cycle", text: `${cycle_id} begins with ${entry_phase}` }),
      entry: ({ cycle_id }) => ({ as: "row", sign: "workflow", text: `cycle ${cycle_id}`, isAtMargin: true }),
    },
    isProblem: false,
  },
  "workflow.completed": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ cycle_id, verdict }) => ({ subject: "cycle", text: `${cycle_id}: ${verdict}`, state: "done" }),
      entry: ({ verdict }) => ({ as: "row", sign: "workflow", text: `cycle ${verdict}`, isAtMargin: true }),
    },
    isProblem: false,
  },
  "workflow.aborted": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ cycle_id, reason }) => ({ subject: "cycle", text: `${cycle_id}: ${reason}`, state: "failed" }),
      entry: ({ reason }) => ({
        as: "row",
        sign: "workflow",
        text: "cycle aborted",
        isAtMargin: true,
        isBad: true,
        outcome: reason,
      }),
    },
    isProblem: true,
  },
  "workflow.artifact_written": {
    replay: "by type",
    story: ({ path }, so) => {
      so.isCycle = true;
      return [{ who: "", what: `wrote ${path}`, right: "" }];
    },
    row: {
      lane: "writes",
      depth: 0,
      text: ({ path }) => ({ subject: "artifact", text: path }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.artifact_written" }),
    },
    isProblem: false,
  },
};
