import { expect, test } from "vitest";
import type { JsonObject } from "#core/values";
import { compileNames } from "../hooks/matcher.ts";
import { callsFor, showCall } from "./shown-call.ts";

const root = "/w";

function shown(tool: string, args: JsonObject, matcher = "*") {
  const names = compileNames(matcher);
  if (!names.ok) throw new Error(names.error.message);
  return callsFor(tool, args, names.value).map((call) => showCall(call, args, root));
}
const asClaude = (tool: string, args: JsonObject, matcher?: string) =>
  shown(tool, args, matcher).map(({ tool_name, input }) => [tool_name, input]);

const edits = [
  { old: "a", new: "b" },
  { old: "c", new: "d", all: true },
];

test.for<readonly [tool: string, args: JsonObject, matcher: string, ...calls: (readonly [string, JsonObject])[]]>([
  ["exec", { command: ["find", ".", "-name", "foo"] }, "Bash", ["Bash", { command: "find . -name foo" }]],
  ["exec", { command: ["rm", "-rf", "a b", "it's"] }, "Bash", ["Bash", { command: `rm -rf 'a b' "it's"` }]],
  ["exec", { command: ["echo", `"$it's`, ""] }, "Bash", ["Bash", { command: `echo '"$it'\\''s' ''` }]],
  ["exec", { command: ["sh", "-c", "a | b && c"] }, "Bash", ["Bash", { command: "a | b && c" }]],
  ["exec", { command: ["/bin/bash", "-lc", "a"] }, "*", ["Bash", { command: "a" }]],
  ["exec", { command: ["sh", "-c", "echo $1", "x"] }, "*", ["Bash", { command: "sh -c 'echo $1' x" }]],
  [
    "exec",
    { command: ["sh"], stdin: "rm -rf x\nEOF\n", timeout_seconds: 5 },
    "Bash",
    ["Bash", { command: "sh <<'EOF1'\nrm -rf x\nEOF\nEOF1", timeout: 5000 }],
  ],
  ["fs.read", { path: "a.md", start_line: 3 }, "Read", ["Read", { file_path: "/w/a.md", offset: 3 }]],
  ["fs.write", { path: "a.md", content: "x" }, "*", ["Write", { file_path: "/w/a.md", content: "x" }]],
  ["fs.write", { path: "a", content: "x" }, "Edit", ["Edit", { file_path: "/w/a", old_string: "", new_string: "x" }]],
  [
    "fs.edit",
    { path: "a", edits },
    "Write|Edit",
    ["Edit", { file_path: "/w/a", old_string: "a", new_string: "b", replace_all: false }],
    ["Edit", { file_path: "/w/a", old_string: "c", new_string: "d", replace_all: true }],
  ],
  [
    "fs.edit",
    { path: "a", edits },
    "MultiEdit",
    [
      "MultiEdit",
      {
        file_path: "/w/a",
        edits: [
          { old_string: "a", new_string: "b", replace_all: false },
          { old_string: "c", new_string: "d", replace_all: true },
        ],
      },
    ],
  ],
  ["fs.list", { path: "src" }, "*", ["LS", { path: "/w/src" }]],
  ["fs.list", { glob: "**/*.ts" }, "*", ["Glob", { pattern: "**/*.ts", path: "/w" }]],
  ["fs.list", {}, "Glob", ["Glob", { pattern: "**/*", path: "/w" }]],
  [
    "fs.search",
    { pattern: "a.b", literal: true, glob: "*.md" },
    "Grep",
    ["Grep", { pattern: "a\\.b", path: "/w", glob: "*.md", output_mode: "content" }],
  ],
  [
    "delegate",
    { tasks: [{ prompt: "look here" }, { prompt: "and there" }] },
    "Task",
    ["Task", { description: "look here", prompt: "look here", subagent_type: "general-purpose" }],
    ["Task", { description: "and there", prompt: "and there", subagent_type: "general-purpose" }],
  ],
  ["memory.read_graph", { all: true }, "mcp__.*", ["mcp__memory__read_graph", { all: true }]],
  ["echo", { text: "x" }, "*", ["echo", { text: "x" }]],
  [
    "todo",
    { items: [{ text: "x", state: "active" }] },
    "*",
    ["TodoWrite", { todos: [{ content: "x", status: "in_progress", activeForm: "x" }] }],
  ],
])("%s %j is shown to a hook about %s as Claude Code would", ([tool, args, matcher, ...calls]) => {
  expect(asClaude(tool, args, matcher)).toEqual(calls);
});

test("several edits are one call of MultiEdit and one of Edit each for a hook that is asked about both", () => {
  expect(asClaude("fs.edit", { path: "a", edits }, "Edit|MultiEdit|Write").map(([name]) => name)).toEqual([
    "Edit",
    "Edit",
    "MultiEdit",
  ]);
});

const back = (tool: string, args: JsonObject, input: JsonObject, index = 0) => {
  const call = shown(tool, args)[index];
  if (!call) throw new Error("no such call");
  return call.apply(args, input);
};

test("a rewritten command is a shell's, one that stayed as it was is not", () => {
  const args = { command: ["npm", "test"], stdin: "x", timeout_seconds: 9 };
  expect(back("exec", args, { command: "npm test -- --bail" })).toEqual({
    ok: true,
    value: { command: ["sh", "-c", "npm test -- --bail"] },
  });
  const [same] = shown("exec", args);
  expect(same?.apply(args, same.input)).toEqual({ ok: true, value: args });
});

test("what a program changed of a file's call goes back into Writ's arguments", () => {
  const write = { path: "a", content: "x", expected_hash: "", why: "y" };
  expect(back("fs.write", write, { file_path: "/w/docs/a", content: "z" })).toMatchObject({
    value: { ...write, path: "docs/a", content: "z" },
  });
  expect(
    back("fs.edit", { path: "a", edits }, { file_path: "/w/a", old_string: "c", new_string: "e" }, 1),
  ).toMatchObject({
    value: { path: "a", edits: [edits[0], { old: "c", new: "e", all: true }] },
  });
  expect(back("fs.read", { path: "a", start_line: 2 }, { file_path: "/w/b" })).toMatchObject({ value: { path: "b" } });
  expect(back("fs.search", { pattern: "a.b", literal: true }, { pattern: "a\\.b", path: "/w/src" })).toEqual({
    ok: true,
    value: { pattern: "a.b", literal: true, path: "src" },
  });
  expect(back("delegate", { tasks: [{ prompt: "a" }, { prompt: "b" }] }, { prompt: "c" }, 1)).toMatchObject({
    value: { tasks: [{ prompt: "a" }, { prompt: "c" }] },
  });
});

test.for<readonly [string, JsonObject, JsonObject]>([
  ["fs.write", { path: "a", content: "x" }, { file_path: "/etc/passwd", content: "x" }],
  ["fs.write", { path: "a", content: "x" }, { file_path: "/w/../etc/passwd", content: "x" }],
  ["fs.read", { path: "a" }, { file_path: "/w/a", ofset: 1 }],
  ["exec", { command: ["ls"] }, { command: "ls", run_in_background: true }],
  ["exec", { command: ["ls"] }, { command: "ls", dangerouslyDisableSandbox: true }],
  ["fs.edit", { path: "a", edits }, { file_path: "/w/b", old_string: "a", new_string: "b" }],
])("%s %j changed to %j is refused", ([tool, args, input]) => {
  expect(back(tool, args, input)).toMatchObject({ ok: false, error: { code: "GATE_DENIED" } });
});

test("a program that answers in Writ's own form is understood as before", () => {
  expect(back("exec", { command: ["ls"] }, { command: ["ls", "-a"] })).toMatchObject({
    value: { command: ["ls", "-a"] },
  });
  expect(back("fs.read", { path: "a" }, { path: "b" })).toMatchObject({ value: { path: "b" } });
});
