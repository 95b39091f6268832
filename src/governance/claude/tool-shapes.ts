import { type JsonValue, ok } from "#core/values";
import { commandText } from "./command-text.ts";
import { fileShapes } from "./file-shapes.ts";
import { absolute, list, one, only, pathIn, refused, type ToolShape, text } from "./tool-shape.ts";

/** The shapes of a tool, in the order of its names; a tool that Claude Code does not know keeps its own arguments. */
export function shapesOf(tool: string): readonly ToolShape[] {
  const known = Object.hasOwn(shapes, tool) ? shapes[tool] : undefined;
  return known ?? [];
}

const bash: ToolShape = {
  name: "Bash",
  count: one,
  show: ({ command, stdin, timeout_seconds }) => ({
    command: commandText(wordsOf(command), typeof stdin === "string" ? stdin : undefined),
    ...(typeof timeout_seconds === "number" ? { timeout: timeout_seconds * 1000 } : {}),
  }),
  apply: (args, input, at) => {
    const { command, timeout } = input;
    if (typeof command !== "string") return ok(input); // in Writ's own form
    const checked = only(input, "Bash", ["command", "timeout", "description", "run_in_background"]);
    if (!checked.ok) return checked;
    if (input["run_in_background"] === true) return refused("Writ runs no command in the background");
    const { stdin: _, timeout_seconds: __, ...rest } = args;
    const seconds = typeof timeout === "number" ? { timeout_seconds: Math.ceil(timeout / 1000) } : {};
    // The text is a shell's, so a shell runs it, and the mandate weighs it as one.
    return command === bash.show(args, at)["command"]
      ? ok({ ...args, ...seconds })
      : ok({ ...rest, ...seconds, command: ["sh", "-c", command] });
  },
};

const glob: ToolShape = {
  name: "Glob",
  count: one,
  show: ({ path, glob: pattern }, { root }) => ({
    pattern: text(pattern) || "**/*",
    path: absolute(root, text(path)),
  }),
  apply: (args, input, at) => {
    if (typeof input["pattern"] !== "string") return ok(input);
    const path = pathIn(input, "path", { args, at });
    const checked = path === undefined || path.ok ? only(input, "Glob", ["pattern", "path"]) : path;
    if (!checked.ok) return checked;
    const isSame = args["glob"] === undefined && input["pattern"] === "**/*";
    return ok({
      ...args,
      ...(path?.ok ? { path: path.value } : {}),
      ...(isSame ? {} : { glob: input["pattern"] }),
    });
  },
};

const ls: ToolShape = {
  name: "LS",
  count: one,
  show: ({ path }, { root }) => ({ path: absolute(root, text(path)) }),
  apply: (args, input, at) => {
    const path = pathIn(input, "path", { args, at });
    const checked = path === undefined || path.ok ? only(input, "LS", ["path", "ignore"]) : path;
    return checked.ok ? ok({ ...args, ...(path?.ok ? { path: path.value } : {}) }) : checked;
  },
};

const grep: ToolShape = {
  name: "Grep",
  count: one,
  show: ({ pattern, literal, ignore_case, path, glob: files, limit }, { root }) => ({
    pattern: literal === true ? escaped(text(pattern)) : text(pattern),
    path: absolute(root, text(path)),
    ...(typeof files === "string" ? { glob: files } : {}),
    ...(ignore_case === true ? { "-i": true } : {}),
    ...(typeof limit === "number" ? { head_limit: limit } : {}),
    output_mode: "content",
  }),
  apply: (args, input, at) => {
    const { pattern } = input;
    if (typeof pattern !== "string" || !("output_mode" in input || "path" in input)) return ok(input);
    const path = pathIn(input, "path", { args, at });
    const fields = ["pattern", "path", "glob", "-i", "-n", "head_limit", "output_mode"];
    const checked = path === undefined || path.ok ? only(input, "Grep", fields) : path;
    if (!checked.ok) return checked;
    const { literal: _, ignore_case: __, glob: ___, limit: ____, ...rest } = args;
    const isSame = pattern === grep.show(args, at)["pattern"];
    return ok({
      ...rest,
      pattern: isSame ? (args["pattern"] ?? pattern) : pattern,
      ...(isSame && args["literal"] === true ? { literal: true } : {}),
      ...(path?.ok ? { path: path.value } : {}),
      ...(typeof input["glob"] === "string" ? { glob: input["glob"] } : {}),
      ...(input["-i"] === true ? { ignore_case: true } : {}),
      ...(typeof input["head_limit"] === "number" ? { limit: input["head_limit"] } : {}),
    });
  },
};

/** Each task is an agent of its own there. */
const task = (name: string): ToolShape => ({
  name,
  count: ({ tasks }) => Math.max(1, list(tasks).length),
  show: ({ tasks }, { index }) => {
    const prompt = text(list(tasks)[index]?.["prompt"]);
    return { description: prompt.split(/\s+/).slice(0, 5).join(" "), prompt, subagent_type: "general-purpose" };
  },
  apply: (args, input, { index }) => {
    const { prompt } = input;
    if (typeof prompt !== "string") return ok(input);
    const checked = only(input, name, ["description", "prompt", "subagent_type"]);
    if (!checked.ok) return checked;
    const tasks = list(args["tasks"]).map((each, at) => (at === index ? { ...each, prompt } : each));
    return ok({ ...args, tasks });
  },
});

const skill: ToolShape = {
  name: "Skill",
  count: one,
  show: (args) => ({ ...args }),
  apply: (_, input) => ok(input),
};

const question: ToolShape = {
  name: "AskUserQuestion",
  count: one,
  show: ({ question: asked, options }) => ({
    questions: [
      {
        question: text(asked),
        header: text(asked).slice(0, 12),
        multiSelect: false,
        options: (Array.isArray(options) ? options : []).map((label) => ({ label: text(label), description: "" })),
      },
    ],
  }),
  apply: (args, input) => {
    const [first] = list(input["questions"]);
    if (!first) return ok(input);
    const options = list(first["options"]).map(({ label }) => text(label));
    const asked = { ...args, question: first["question"] ?? args["question"] ?? "" };
    return ok(options.length > 0 ? { ...asked, options } : asked);
  },
};

const states: Readonly<Record<string, string>> = {
  open: "pending",
  active: "in_progress",
  done: "completed",
  dropped: "completed",
};

const todo: ToolShape = {
  name: "TodoWrite",
  count: one,
  show: ({ items }) => ({
    todos: list(items).map((item) => ({
      content: text(item["text"]),
      status: states[text(item["state"])] ?? "pending",
      activeForm: text(item["text"]),
    })),
  }),
  apply: (args, input) => {
    if (!Array.isArray(input["todos"])) return ok(input);
    const before = list(args["items"]);
    const items = list(input["todos"]).map(({ content, status }, index) => {
      const state = text(before[index]?.["state"]);
      const kept = states[state] === status ? state : undefined;
      const read = status === "completed" ? "done" : status === "in_progress" ? "active" : "open";
      return { text: text(content), state: kept ?? read };
    });
    return ok({ ...args, items });
  },
};

const shapes: Readonly<Record<string, readonly ToolShape[]>> = {
  exec: [bash],
  ...fileShapes,
  "fs.list": [glob, ls],
  "fs.search": [grep],
  delegate: [task("Task"), task("Agent")],
  "skill.load": [skill],
  ask: [question],
  todo: [todo],
};

function wordsOf(command: JsonValue | undefined): readonly string[] {
  return Array.isArray(command) ? command.map((word) => text(word)) : [];
}

function escaped(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
