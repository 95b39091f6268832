import type { EventKinds } from "#log";

type RoleEvent =
  | "agent.transition"
  | "lead.directive"
  | "advisor.note"
  | "plan.made"
  | "plan.updated"
  | "worker.step"
  | "worker.report"
  | "scaffold.report";

export const roleKinds: EventKinds<RoleEvent> = {
  "agent.transition": {
    replay: ({ from, to }) => `${from} ${to}`,
    story: (_, so) => {
      so.hasRoles = true;
      return [];
    },
    row: {
      lane: "flow",
      depth: 0,
      text: ({ from, to }) => ({ subject: "role", text: `${from} → ${to}`, quiet: true }),
      entry: ({ from, to, reason }) => ({
        as: "role",
        end: to === "DONE" || to === "FAIL" ? to.toLowerCase() : null,
        ...(to === "FAIL" ? { isBad: true } : {}),
        ...(to === "REWORK" || reason ? { outcome: reason ?? `${from} sends it back` } : {}),
      }),
    },
    isProblem: false,
  },
  "lead.directive": {
    replay: "by type",
    story: ({ directive }, so) => [{ who: "lead", what: so.pen.line(directive.intent), right: so.bill("lead") }],
    row: {
      lane: "model",
      depth: 1,
      text: ({ directive }) => ({ subject: "lead", text: directive.intent ?? "" }),
      entry: ({ directive }) => ({ as: "conclusion", outcome: directive.intent, isBad: false }),
    },
    isProblem: false,
  },
  "advisor.note": {
    replay: "by type",
    story: ({ note }, so) => {
      const what = so.pen.line(`${note.recommendation}: ${note.advice}`);
      return [{ who: "advisor", what, right: so.bill("advisor") }];
    },
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "advisor.note", text: words.plain(payload), quiet: true }),
      entry: ({ note }) => ({ as: "conclusion", outcome: `${note.recommendation}: ${note.advice}`, isBad: false }),
    },
    isProblem: false,
  },
  "plan.made": {
    replay: "by type",
    story: ({ plan: { steps } }, so) => {
      const listed = steps.map(({ id, description }) => `${id} ${description}`).join("; ");
      return [{ who: "planner", what: so.pen.line(`${stepsIn(steps)}: ${listed}`), right: so.bill("planner") }];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ plan: { steps } }) => ({
        subject: "planner",
        text: `${stepsIn(steps)}: ${steps.map(({ description }) => description).join("; ")}`,
      }),
      entry: ({ plan: { steps } }) => ({
        as: "conclusion",
        outcome: steps.map(({ id, description }) => `${id} ${description}`).join("; "),
        isBad: false,
      }),
    },
    isProblem: false,
  },
  "plan.updated": {
    replay: ({ key }) => key,
    story: ({ items }, so) => {
      const done = items.filter(({ state }) => state === "done").length;
      const active = items.find(({ state }) => state === "active");
      const now = active === undefined ? "" : `: ${so.pen.line(active.text)}`;
      return [{ who: so.speaker, what: `todo ${done} of ${items.length}${now}`, right: "" }];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ items }) => ({ subject: "todo", text: items.map(({ text, state }) => `${state} ${text}`).join("; ") }),
      entry: ({ items }) => ({
        as: "row",
        sign: "note",
        text: `todo, ${items.filter(({ state }) => state === "done").length} of ${items.length} done`,
        outcome: items.map(({ text, state }) => `${state}: ${text}`).join("; "),
      }),
    },
    isProblem: false,
  },
  "worker.step": {
    replay: ({ step_id }) => step_id,
    story: ({ step_id, status }, so) => {
      const right = so.bill("worker");
      if (right === "") return [];
      const end = status === "completed" ? "done" : so.pen.red("not done");
      return [{ who: "worker", what: `${so.pen.name(step_id)} ${end}`, right }];
    },
    row: {
      lane: "model",
      depth: 1,
      text: ({ step_id, status }) => ({ subject: "worker", text: `${step_id} ${status}`, quiet: true }),
      entry: ({ step_id, status, error }) =>
        status === "failed"
          ? {
              as: "row",
              sign: "work",
              text: `step ${step_id} failed`,
              isBad: true,
              ...(error ? { outcome: `${error.code}: ${error.message}` } : {}),
            }
          : { as: "nothing" },
    },
    isProblem: false,
  },
  "worker.report": {
    replay: "by type",
    story: "silent",
    row: {
      lane: "model",
      depth: 1,
      text: ({ output }, words) => ({ subject: "worker", text: words.plain(output ?? "") }),
      entry: ({ output }) => ({ as: "conclusion", outcome: output, isBad: false }),
    },
    isProblem: false,
  },
  "scaffold.report": {
    replay: ({ report }, digest) => digest(report),
    story: "silent",
    row: {
      lane: "flow",
      depth: 0,
      text: (payload, words) => ({ subject: "scaffold.report", text: words.plain(payload), quiet: true }),
      entry: () => ({ as: "row", sign: "note", text: "scaffold.report" }),
    },
    isProblem: false,
  },
};

function stepsIn(steps: readonly unknown[]): string {
  return `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
}
