import { expect, test } from "vitest";
import { screenOf } from "#core/terminal";
import { type Event } from "#log";
import { eventKinds } from "../../main/tables/events.ts";
import { EventRenderer } from "./event-renderer.ts";

const screen = screenOf({ write: () => {}, isTTY: false, columns: 100 }, {});
const usage = { input_tokens: 1, output_tokens: 1 };
const write = { id: "1", name: "fs.write", args: { content: "a long text ".repeat(9), path: "notes/a.md" } };
const denial = { point: "PreToolUse", subject: "fs.write", decision: "deny", handler: "no-notes", reason: "not here" };

function rendered(...events: readonly (readonly [string, object])[]): readonly string[] {
  const renderer = new EventRenderer(screen, eventKinds);
  return events.flatMap(([type, payload]) => renderer.render({ type, payload } as unknown as Event));
}
const answer = (...tool_calls: readonly object[]) =>
  ["llm.response", { role: "worker", status: "ok", usage, duration_ms: 1, tool_calls }] as const;

test("a denied call is rendered once: what it was about, who denied it and why", () => {
  const reason = '"fs.write" was not called: not here';
  const lines = rendered(
    answer(write),
    ["hook.fired", denial],
    ["tool.refused", { name: "fs.write", code: "GATE_DENIED", reason }],
  );
  expect(lines).toEqual([
    expect.stringMatching(
      /^ {2}worker {5}fs\.write \{"path":"notes\/a\.md","content":"a long.*… {2}denied by no-notes$/,
    ),
    "             rule: not here",
  ]);
});

test("a call that waits for a person says which, once: where a hook asked, its own line has said it", () => {
  const asked = {
    kind: "tool_call",
    subject: { tool: "exec", args: { command: ["npm", "test"] } },
    title: "The agent wants to call exec",
    reason: "not granted",
  };
  expect(rendered(["approval.requested", asked])).toEqual([
    expect.stringMatching(/exec \{"command":\["npm","test"\]\} +waits for a person$/),
    "             rule: not granted",
  ]);
  const hook = { ...denial, subject: "exec", decision: "ask" };
  expect(rendered(["hook.fired", hook], ["approval.requested", asked])[0]).toMatch(/no-notes asks a person$/);
  expect(rendered(["hook.fired", hook], ["approval.requested", asked])).toHaveLength(2);
  expect(rendered(["approval.requested", { ...asked, kind: "refused_acts" }])).toEqual([]);
});

test("a call that something else than a hook refused is rendered as that", () => {
  const lines = rendered(answer(write), ["tool.refused", { name: "fs.write", code: "TOOL_NOT_ALLOWED", reason: "no" }]);
  expect(lines[0]).toMatch(/fs\.write +refused: TOOL_NOT_ALLOWED$/);
});

test("where the arguments could be those of another call, none are shown", () => {
  expect(rendered(answer(write, { ...write, id: "2" }), ["hook.fired", denial])[0]).toMatch(
    /^ {2}worker {5}fs\.write +denied/,
  );
  const entered = ["workflow.entered", { phase: "review", visit: 1 }] as const;
  expect(rendered(entered, answer(write), ["hook.fired", denial]).at(-2)).toMatch(/fs\.write +denied by no-notes$/);
});

test("what a tool gave is rendered in its words: the texts of an MCP server's parts, the code and message of a failure", () => {
  const gave = (content: object) => rendered(["tool.output", { name: "a.b", content, is_error: false }])[0]?.trim();
  expect(gave({ content: [{ type: "text", text: "Oslo: sun" }] })).toBe("→ Oslo: sun");
  expect(
    gave({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b\nc" },
      ],
    }),
  ).toBe("→ a b c");
  expect(gave({ error: { code: "WRITE_CONFLICT", message: "it exists already", retryable: true } })).toBe(
    "→ WRITE_CONFLICT: it exists already",
  );
  for (const other of [{ content: [] }, { content: [{ type: "image", data: "aGk=" }] }, { error: "odd" }])
    expect(gave(other)).toBe(`→ ${JSON.stringify(other)}`);
});
