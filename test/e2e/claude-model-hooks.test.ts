// Hooks of Claude Code that ask a tool of an MCP server, a model or an agent: each has an order, and what fails denies.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { approveOffered } from "../support/mcp-workspace.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const scan = { name: "scan", inputSchema: { type: "object", properties: { command: { type: "string" } } } };
const said = (text: string) => ({ content: [{ type: "text", text }] });
const model = (text: string) => ({ when: { role: "program" }, respond: { text } });
const looker = (...calls: readonly object[]) =>
  calls.map((respond, index) => ({ when: { role: "solo", call: index + 1, prompt: "You are a hook" }, respond }));
const reading = [
  {
    when: { role: "solo", call: 1 },
    respond: {
      tool_calls: [
        { name: "fs.read", args: { path: "a.txt" } },
        { name: "fs.list", args: { path: "." } },
        { name: "fs.search", args: { pattern: "A" } },
      ],
    },
  },
  { when: { role: "solo" }, respond: { text: "done" } },
];
const stops = [{ when: { role: "solo" }, respond: { text: "done" } }];

let server: HostileServer;
let guarded: TestWorkspace;
beforeAll(async () => {
  server = hostileServer({ tools: [scan] });
  const servers = { guard: { command: process.execPath, args: server.args, rights: server.rights } };
  guarded = await workspaceWith({}, reading, { mcp: { servers } });
  await approveOffered(guarded);
});
afterAll(async () => {
  await guarded[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const profiles = { scripted: { provider: "scripted" }, judge: { provider: "scripted" } };

const workspaceWith = (hooks: object, rules: readonly object[], config: object = {}): Promise<TestWorkspace> =>
  testWorkspace({
    rules,
    config: { max_concurrent_flows: 1, hooks: { read_claude_settings: true }, profiles, ...config },
    files: { ".claude/settings.json": JSON.stringify({ hooks }), "a.txt": "A" },
  });

/** The workspace with the server, under other settings. */
async function under(settings: object): Promise<TestWorkspace> {
  await guarded.write(".claude/settings.json", JSON.stringify(settings));
  await guarded.reopen();
  return guarded;
}

const about = (event: string, hook: object, matcher = "") => ({ [event]: [{ matcher, hooks: [hook] }] });

async function firedAt(workspace: TestWorkspace, session_id: string | null | undefined, point: string) {
  return (await workspace.events(session_id)).flatMap((event) =>
    event.type === "hook.fired" && event.payload.point === point ? [event.payload] : [],
  );
}

test("a tool of a server is called with what the hook names, in a session of its own, and its words are read like a program's", async () => {
  const hook = {
    type: "mcp_tool",
    server: "guard",
    tool: "scan",
    input: { command: "${tool_name}: ${tool_input.file_path} in ${hook_event_name}${tool_input.none}" },
  };
  const workspace = await under({ hooks: about("PreToolUse", hook, "Read") });
  for (const [text, decision, calls] of [
    ["", "allow", 1],
    [JSON.stringify({ decision: "block", reason: "not today" }), "deny", 0],
    [
      JSON.stringify({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
      }),
      "deny",
      0,
    ],
    ["I am not sure", "deny", 0],
  ] as const) {
    server.set({ tools: [scan], result: said(text) });
    const done = await workspace.ask("Read it");
    const [fired] = await firedAt(workspace, done.session_id, "PreToolUse");
    expect([text, fired?.decision]).toEqual([text, decision]);
    const results = (await workspace.events(done.session_id)).filter(({ type }) => type === "tool.result");
    expect(results).toHaveLength(calls + 2);
    const [asked] = fired?.handlers.filter(({ kind }) => kind === "mcp_tool") ?? [];
    const [own] = asked?.sessions ?? [];
    expect(await workspace.runtime.verifySession(own as never)).toMatchObject({ ok: true });
    const invoked = (await workspace.events(own)).find(({ type }) => type === "tool.invoke");
    expect(invoked?.payload).toMatchObject({
      name: "guard.scan",
      args: { command: `Read: ${workspace.root}/a.txt in PreToolUse` },
    });
    expect(await workspace.runtime.verifySession(done.session_id as never)).toMatchObject({ ok: true });
  }
});

test("a server that fails, is not there, or whose tool nobody approved denies at a gate; at Stop its block is heard", async () => {
  const hook = (tool: string, name = "guard") => ({ type: "mcp_tool", server: name, tool });
  server.set({ tools: [scan], result: { ...said("broken"), isError: true } });
  const hooks = (["scan", "other", "nobody"] as const).map((tool) => ({
    matcher: { scan: "Read", other: "LS", nobody: "Grep" }[tool],
    hooks: [tool === "nobody" ? hook("scan", tool) : hook(tool)],
  }));
  const workspace = await under({ hooks: { PreToolUse: hooks } });
  const done = await workspace.ask("Read it");
  const fired = await firedAt(workspace, done.session_id, "PreToolUse");
  expect(fired.map(({ subject, decision }) => [subject, decision])).toEqual([
    ["fs.read", "deny"],
    ["fs.list", "deny"],
    ["fs.search", "deny"],
  ]);
  server.set({ tools: [scan], result: said(JSON.stringify({ decision: "block", reason: "left: the docs" })) });
  const stopping = await under({ hooks: about("Stop", hook("scan")) });
  const kept = await stopping.ask("Read it");
  const heard = await firedAt(stopping, kept.session_id, "Stop");
  expect(heard[0]).toMatchObject({ decision: "allow", reason: "left: the docs" });
  expect(heard).toHaveLength(8);
});

test("rules of permissions that would ask a person do not hold a hook's own call back; those that refuse do", async () => {
  server.set({ tools: [scan], result: said("") });
  const hook = { type: "mcp_tool", server: "guard", tool: "scan" };
  for (const [permissions, decision] of [
    [{ allow: ["Read"] }, "allow"],
    [{ deny: ["mcp__guard__scan"] }, "deny"],
  ] as const) {
    const workspace = await under({ hooks: about("PreToolUse", hook), permissions });
    const done = await workspace.ask("Read it");
    const [fired] = await firedAt(workspace, done.session_id, "PreToolUse");
    expect(fired?.decision).toBe(decision);
  }
});

test("a prompt asks a model about the call, recorded and budgeted; ok lets it go on, not ok denies, anything else denies", async () => {
  for (const [answer, decision, reason] of [
    ['{"ok": true}', "allow", ""],
    ['```json\n{"ok": true}\n```', "allow", ""],
    ['{"ok": false, "reason": "it is late"}', "deny", "it is late"],
    ["yes", "deny", "was answered"],
    ['{"ok": "true"}', "deny", "was answered"],
  ] as const) {
    const hook = { type: "prompt", prompt: "May this be? $ARGUMENTS costs \\$1", model: "judge" };
    await using workspace = await workspaceWith(about("PreToolUse", hook), [model(answer), ...reading]);
    const done = await workspace.ask("Read it");
    const [fired] = await firedAt(workspace, done.session_id, "PreToolUse");
    expect([answer, fired?.decision]).toEqual([answer, decision]);
    expect(fired?.reason).toContain(reason);
    const [own] = fired?.handlers.flatMap(({ sessions = [] }) => sessions) ?? [];
    const asked = (await workspace.events(own)).filter(({ type }) => type === "llm.request");
    expect(JSON.stringify(asked)).toContain('\\"tool_name\\":\\"Read\\"');
    expect(JSON.stringify(asked)).toContain("costs $1");
    expect(await workspace.runtime.verifySession(own as never)).toMatchObject({ ok: true });
  }
});

test("at Stop and UserPromptSubmit a model decides as there, and what can never be met ends the work", async () => {
  for (const [event, answer, status, times] of [
    ["Stop", '{"ok": false, "reason": "left: the docs"}', "success", 8],
    ["Stop", '{"ok": false, "reason": "no way", "impossible": true}', "success", 1],
    ["Stop", '{"ok": true}', "success", 1],
    ["Stop", "well", "success", 1],
    ["UserPromptSubmit", '{"ok": false, "reason": "not about that"}', "rejected", 1],
    ["UserPromptSubmit", "well", "rejected", 1],
    ["UserPromptSubmit", '{"ok": true}', "success", 1],
  ] as const) {
    const hook = { type: "prompt", prompt: "Is it done?" };
    await using workspace = await workspaceWith(about(event, hook), [model(answer), ...stops]);
    const done = await workspace.ask("Name a colour");
    expect([event, answer, done.status]).toEqual([event, answer, status]);
    expect(await firedAt(workspace, done.session_id, event)).toHaveLength(times);
  }
});

test("an agent looks at the files of the order that it is asked about, written or not, and changes nothing", async () => {
  const hook = { type: "agent", prompt: "Is note.md good? $ARGUMENTS" };
  const reads = { tool_calls: [{ name: "fs.read", args: { path: "note.md" } }] };
  const writes = { tool_calls: [{ name: "fs.write", args: { path: "note.md", content: "x" } }] };
  const rules = [
    ...looker(reads, writes, { text: '{"ok": false, "reason": "it lacks a title"}' }),
    {
      when: { role: "solo", call: 1 },
      respond: {
        tool_calls: [
          { name: "fs.write", args: { path: "note.md", content: "a note", expected_hash: "", why: "asked" } },
        ],
      },
    },
    { when: { role: "solo" }, respond: { text: "done" } },
  ];
  await using workspace = await workspaceWith(about("Stop", hook), rules);
  const done = await workspace.ask("Write a note", { allow: ["note.md"] });
  const [fired] = await firedAt(workspace, done.session_id, "Stop");
  expect(fired).toMatchObject({ decision: "allow", reason: "it lacks a title" });
  const own = await workspace.events(fired?.handlers[0]?.sessions?.[0]);
  expect(JSON.stringify(own.filter(({ type }) => type === "tool.output"))).toContain("a note");
  expect(own.filter(({ type }) => type === "tool.refused")).toMatchObject([{ payload: { name: "fs.write" } }]);
  expect(await workspace.read("note.md")).toBe("a note");
});

test("an agent that gives no verdict denies at a gate, and none of these hooks is asked about its own calls", async () => {
  const hook = { type: "agent", prompt: "Look" };
  const reads = { tool_calls: [{ name: "fs.list", args: { path: "." } }] };
  const rules = [...looker(reads, { text: "it is fine" }, { text: "it is fine" }), ...reading];
  await using workspace = await workspaceWith(about("PreToolUse", hook), rules);
  const done = await workspace.ask("Read it");
  const [fired] = await firedAt(workspace, done.session_id, "PreToolUse");
  expect(fired).toMatchObject({ decision: "deny" });
  const asked = fired?.handlers.find(({ kind }) => kind === "agent");
  expect(asked).toMatchObject({ decision: "deny", fault: "order_failed" });
  const own = asked?.sessions?.[0];
  const [within] = await firedAt(workspace, own, "PreToolUse");
  expect(within?.handlers.filter(({ kind }) => kind === "agent")).toMatchObject([{ decision: "none" }]);
});
