import type { EventKinds } from "#log";

const graveLevels: readonly string[] = ["warning", "error", "critical", "alert", "emergency"];

export const toolKinds: EventKinds<
  "tool.invoke" | "tool.deferred" | "tool.log" | "tool.result" | "tool.output" | "tool.refused" | "effect.resolved"
> = {
  "tool.invoke": {
    replay: "by cause",
    story: ({ name, args }, so) => {
      const right = so.gate ? so.pen.dim(`allowed by ${so.gate.handler}`) : "";
      so.gate = undefined;
      return [{ who: so.speaker, what: so.pen.call(name, args), right }];
    },
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, args }, words) => ({ subject: name, text: words.plain(args) }),
      entry: ({ call_id, name, args }, words) => ({
        as: "opening",
        id: call_id,
        sign: "tool",
        text: words.call(name, args),
        permitFor: name,
      }),
    },
    isProblem: false,
  },
  "tool.deferred": {
    replay: "by cause",
    story: "silent",
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, server, task_id }) => ({ subject: name, text: `goes on as the task ${task_id} of ${server}` }),
      entry: ({ call_id, server, task_id }) => ({
        as: "sequel",
        id: call_id,
        sign: "tool",
        alone: `a task of ${server} without a call`,
        otherwise: `goes on as the task ${task_id} of ${server}`,
      }),
    },
    isProblem: false,
  },
  "tool.log": {
    replay: "never repeated",
    story: ({ server, level, text }, so) => {
      const line = so.pen.line(`${server} ${level}: ${text}`);
      return [{ who: "", what: graveLevels.includes(level) ? so.pen.yellow(line) : so.pen.dim(line), right: "" }];
    },
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, level, text }) => ({ subject: name, text: `${level}: ${text}` }),
      entry: ({ call_id, server, level, text }) => ({
        as: "sequel",
        id: call_id,
        sign: "tool",
        alone: `a log of ${server} without a call`,
        otherwise: `${server} logs ${level}: ${text}`,
      }),
    },
    isProblem: false,
  },
  "tool.result": {
    replay: "by cause",
    story: "silent",
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, status, error, duration_ms }, words) => {
        const isDenied = status !== "ok" && words.isRule(error?.code);
        const why = error ? (error.message ?? error.code) : "";
        return {
          subject: name,
          text: isDenied ? why : `${status}${why && `: ${why}`}`,
          durationMs: duration_ms,
          quiet: status === "ok",
          ...(isDenied ? { decision: "deny" } : {}),
          ...(status === "ok" ? {} : { state: isDenied ? "denied" : "failed" }),
        };
      },
      entry: ({ call_id, status, duration_ms, error }) => ({
        as: "sequel",
        id: call_id,
        sign: "tool",
        alone: "a result without a call",
        durationMs: duration_ms,
        ...(status === "ok" ? {} : { isBad: true, outcome: error ? `${error.code}: ${error.message}` : status }),
      }),
    },
    isProblem: ({ status }) => status !== "ok",
  },
  "tool.output": {
    replay: "by cause",
    story: ({ content, is_error }, so) => {
      const text = so.pen.line(so.pen.result(content));
      const what = `${so.pen.arrow} ${is_error ? so.pen.red(text) : text}`;
      return [{ who: "", what, right: so.bill(so.speaker) }];
    },
    row: {
      lane: "tools",
      depth: 2,
      text: (payload, words) => ({
        subject: payload.name,
        text: `→ ${"content" in payload ? words.plain(payload.content) : "withheld"}`,
      }),
      entry: ({ call_id, content, shown, error }, words) => ({
        as: "sequel",
        id: call_id,
        sign: "tool",
        alone: null,
        otherwise: error ? `${error.code}: ${error.message}` : shown ? words.result(content) : "kept from the model",
      }),
    },
    isProblem: false,
  },
  "tool.refused": {
    replay: ({ call_id }) => call_id,
    story: ({ name, code, reason }, so) => {
      const { gate, pen } = so;
      so.gate = undefined;
      // The hook that denied it has said so already, with its reason.
      if (code === "GATE_DENIED" && gate?.decision === "deny" && gate.subject === name) return [];
      if (code === "ACT_HELD")
        return [{ who: so.speaker, what: pen.name(name), right: pen.yellow("waits for a person") }];
      return [
        { who: so.speaker, what: pen.name(name), right: pen.yellow(`refused: ${code}`) },
        { who: "", what: pen.dim(pen.line(reason)), right: "" },
      ];
    },
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, reason, code }) => ({ subject: name, text: `refused: ${reason} (${code})`, state: "denied" }),
      entry: ({ name, code, reason }) => ({
        as: "row",
        sign: "tool",
        text: name,
        isBad: true,
        gate: { decision: "refused", by: code, reason },
      }),
    },
    isProblem: true,
  },
  "effect.resolved": {
    replay: "by cause",
    story: "silent",
    row: {
      lane: "tools",
      depth: 2,
      text: ({ name, outcome }) => ({
        subject: name ?? "effect",
        text: `a person says: ${outcome.replace("_", " ")}`,
        state: "done",
      }),
      entry: () => ({ as: "row", sign: "note", text: "effect.resolved" }),
    },
    isProblem: false,
  },
};
