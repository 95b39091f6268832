import type { EventKinds } from "#log";

/** As many findings as a person reads at once. */
const shown = 8;

type PhaseEvent =
  | "workflow.entered"
  | "workflow.fanned_out"
  | "workflow.gathered"
  | "workflow.finding_routed"
  | "workflow.judged"
  | "workflow.phase_advanced";

/** The way of a cycle from phase to phase. */
export const phaseKinds: EventKinds<PhaseEvent> = {
  "workflow.entered": {
    replay: "by type",
    story: ({ phase, visit }, so) => {
      so.isCycle = true;
      return [{ who: "phase", what: so.pen.bold(phase) + (visit > 1 ? `, visit ${visit}` : ""), right: "" }];
    },
    row: {
      lane: "flow",
      depth: 0,
      text: ({ phase, visit }) => ({ subject: "phase", text: `${phase}, visit ${visit}`, quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.entered" }),
    },
    isProblem: false,
  },
  "workflow.fanned_out": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: ({ phase, personas }) => ({ subject: "phase", text: `${phase} asks ${personas.length} personas at once` }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.fanned_out" }),
    },
    isProblem: false,
  },
  "workflow.gathered": {
    replay: "by type",
    story: ({ coverage, findings, failures = [] }, so) => {
      so.isCycle = true;
      const { pen } = so;
      const lines = coverage.expected.length === 0 ? [] : [`${coverage.reported.join(", ") || "nobody"} answered`];
      const found = findings
        .slice(0, shown)
        .map(({ severity, title, reviewers }) => `${severity} ${title} (${(reviewers ?? []).join(", ")})`);
      const more = findings.length > shown ? [`and ${findings.length - shown} more findings`] : [];
      const silent = failures.map(({ persona, code, message }) => pen.red(`${persona}: ${code} ${message}`));
      return [...lines, ...found, ...more, ...silent].map((line) => ({ who: "", what: pen.line(line), right: "" }));
    },
    row: {
      lane: "flow",
      depth: 0,
      text: ({ phase, findings: { length } }) => {
        const found = length === 0 ? "no findings" : `${length} ${length === 1 ? "finding" : "findings"}`;
        return { subject: "phase", text: `${phase} gathered ${found}` };
      },
      entry: () => ({ as: "row", sign: "note", text: "workflow.gathered" }),
    },
    isProblem: false,
  },
  "workflow.finding_routed": {
    replay: "by type",
    story: ({ route, outcome, title, severity, file, reason }, so) => {
      so.isCycle = true;
      const { pen } = so;
      if (outcome === "applied")
        return [{ who: "", what: pen.line(`mended ${file}: ${severity} ${title}`), right: "" }];
      if (outcome === "left" && route !== "gated") return [];
      return [{ who: "", what: pen.line(`not mended: ${severity} ${title}: ${reason}`), right: "" }];
    },
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "workflow.finding_routed", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.finding_routed" }),
    },
    isProblem: false,
  },
  "workflow.judged": {
    replay: "by type",
    story: ({ outcome, to, reason }, so) => {
      so.isCycle = true;
      const what = so.pen.line(`${outcome}${to === undefined ? "" : ` to ${to}`}: ${reason}`);
      return [{ who: "", what, right: "" }];
    },
    row: {
      lane: "gates",
      depth: 0,
      text: ({ phase, reason, outcome, aggregate }) => ({
        subject: "phase",
        text: aggregate?.verdict === "fail" ? `${phase}: the review failed; ${reason}` : `${phase}: ${reason}`,
        decision: outcome,
        ...(aggregate?.verdict === "fail" ? { state: "failed" } : {}),
      }),
      entry: () => ({ as: "row", sign: "note", text: "workflow.judged" }),
    },
    isProblem: ({ aggregate }) => aggregate?.verdict === "fail",
  },
  "workflow.phase_advanced": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "gates",
      depth: 0,
      text: ({ from_phase, to_phase, signal }) => ({
        subject: "phase",
        text: `${from_phase} → ${to_phase ?? "the end"}, because ${signal ?? "nothing held it"}`,
      }),
      entry: ({ to_phase }) => ({
        as: "row",
        sign: "workflow",
        text: `phase ${to_phase ?? "none"}`,
        isAtMargin: true,
      }),
    },
    isProblem: false,
  },
};
