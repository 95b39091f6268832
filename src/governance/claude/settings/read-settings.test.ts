import { expect, test } from "vitest";
import { memoryFiles } from "../../../../test/support/memory-files.ts";
import { readSettings } from "./read-settings.ts";
import type { ReadSettings } from "./settings-document.ts";

const project = "/home/ada/w/.claude/settings.json";
const local = "/home/ada/w/.claude/settings.local.json";
const user = "/home/ada/.claude/settings.json";
const managed = "/etc/policy/managed-settings.json";

const read = (files: Readonly<Record<string, unknown>>, more: Partial<ReadSettings> = {}) =>
  readSettings({
    root: "/home/ada/w",
    env: { HOME: "/home/ada" },
    managed: "/etc/policy",
    isTrusted: true,
    files: memoryFiles(
      Object.fromEntries(
        Object.entries(files).map(([path, value]) => [path, typeof value === "string" ? value : JSON.stringify(value)]),
      ),
    ),
    ...more,
  });
const hook = (command: string, more: object = {}) => ({ type: "command", command, ...more });
const asking = (event: string, ...hooks: readonly object[]) => ({ hooks: { [event]: [{ hooks }] } });

test("all four files count: hooks of each, rules of each, the mode of the first", async () => {
  const settings = await read({
    [managed]: { permissions: { deny: ["WebFetch"] }, ...asking("PreToolUse", hook("m.sh")) },
    [user]: {
      permissions: { defaultMode: "acceptEdits", allow: ["Bash(ls *)"] },
      ...asking("PreToolUse", hook("~/u.sh")),
    },
    [project]: { permissions: { ask: ["Edit(/src/**)"] }, ...asking("PreToolUse", hook("p.sh")) },
    [local]: { permissions: { defaultMode: "plan" }, ...asking("PreToolUse", hook("p.sh"), hook("l.sh")) },
  });
  expect(settings).toMatchObject({
    ok: true,
    value: {
      files: [
        "/etc/policy/managed-settings.json",
        ".claude/settings.local.json",
        ".claude/settings.json",
        "~/.claude/settings.json",
      ],
      hooks: [
        { command: "m.sh", from: "/etc/policy/managed-settings.json" },
        { command: "/home/ada/u.sh", from: "~/.claude/settings.json" },
        { command: "p.sh", from: ".claude/settings.json", where: ".claude/settings.json hooks.PreToolUse[0].hooks[0]" },
        { command: "l.sh", from: ".claude/settings.local.json" },
      ],
      permissions: {
        mode: { document: ".claude/settings.local.json", value: "plan" },
        rules: [
          {
            document: "/etc/policy/managed-settings.json",
            path: "permissions.deny[0]",
            effect: "deny",
            rule: "WebFetch",
          },
          { document: ".claude/settings.json", effect: "ask", rule: "Edit(/src/**)", globs: ["src/**"] },
          { document: "~/.claude/settings.json", effect: "allow", rule: "Bash(ls *)" },
        ],
      },
    },
  });
});

test("every event that Claude Code documents is asked, or named once with the reason", async () => {
  const events =
    "SessionStart Setup UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch Notification MessageDisplay SubagentStart SubagentStop TaskCreated TaskCompleted Stop StopFailure TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate WorktreeRemove PreCompact PostCompact Elicitation ElicitationResult SessionEnd".split(
      " ",
    );
  const settings = await read({
    [project]: { hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook("x.sh")] }]])) },
  });
  if (!settings.ok) throw new Error(settings.error.message);
  const asked = settings.value.hooks.map(({ event }) => event);
  const named = settings.value.notes.map(({ note }) => note.split(" ", 1)[0]);
  expect(new Set([...asked, ...named])).toEqual(new Set(events));
  expect(asked).toHaveLength(14);
});

test("hooks that an order answers are read with what they ask, and left out or closed where they are not asked there either", async () => {
  const agent = { type: "agent", prompt: "look", model: "judge" };
  const tool = {
    type: "mcp_tool",
    server: "kb",
    tool: "check",
    input: { path: "${tool_input.file_path}" },
    timeout: 5,
  };
  const settings = await read({
    [project]: {
      hooks: {
        PreToolUse: [{ hooks: [agent, { ...tool, server: "plugin:a:db" }] }],
        SubagentStart: [{ hooks: [agent] }],
        PreCompact: [{ hooks: [{ type: "prompt", prompt: "now?" }] }],
        Stop: [{ hooks: [tool, { type: "prompt", prompt: "done? $ARGUMENTS" }] }],
      },
    },
  });
  expect(settings).toMatchObject({
    value: {
      hooks: [
        { event: "PreToolUse", task: { type: "agent", prompt: "look", model: "judge" }, timeout: 60 },
        { event: "PreToolUse", unable: "servers of plugins are not started here" },
        { event: "PreCompact", unable: "hooks of type prompt are not asked at PreCompact there either" },
        { event: "Stop", task: { type: "mcp_tool", server: "kb", tool: "check", input: {} }, timeout: 5 },
        { event: "Stop", task: { type: "prompt" }, timeout: 30 },
      ],
      notes: [
        { note: expect.stringContaining("so it denies") },
        { note: expect.stringContaining("left out") },
        { note: expect.stringContaining("so it denies") },
      ],
    },
  });
  for (const [broken, why] of [
    [{ type: "mcp_tool", tool: "x" }, "hooks[0].server is nothing"],
    [{ type: "mcp_tool", server: "x" }, "hooks[0].tool is nothing"],
    [{ type: "mcp_tool", server: "x", tool: "y", input: [] }, "hooks[0].input is a list"],
    [{ type: "prompt" }, "hooks[0].prompt is nothing"],
    [{ type: "agent", prompt: "x", model: 1 }, "hooks[0].model is 1"],
  ] as const)
    expect(await read({ [project]: { hooks: { Stop: [{ hooks: [broken] }] } } })).toMatchObject({
      error: { message: expect.stringContaining(why) },
    });
});

test("hooks of type http keep to what the settings of all files let them reach and send", async () => {
  const at = (url: string) => ({ type: "http", url, allowedEnvVars: ["TOKEN", "OTHER"], headers: { "X-A": "$TOKEN" } });
  const files = { [project]: asking("PreToolUse", at("https://Policy.example.org./x"), at("http://127.0.0.1:1/y")) };
  expect(await read(files)).toMatchObject({
    value: {
      hooks: [
        { http: { url: "https://Policy.example.org./x", headers: { "X-A": "$TOKEN" } } },
        { http: { allowedEnvVars: ["TOKEN", "OTHER"] } },
      ],
    },
  });
  const limits = { allowedHttpHookUrls: ["https://policy.example.org/*"], httpHookAllowedEnvVars: ["TOKEN"] };
  const limited = await read({ ...files, [user]: limits });
  if (!limited.ok) throw new Error(limited.error.message);
  const [one, other] = limited.value.hooks;
  expect(one?.http?.allowedEnvVars).toEqual(["TOKEN"]);
  expect(other?.unable).toContain("allowedHttpHookUrls does not let it reach http://127.0.0.1:1/y");
  const start = await read({ [project]: asking("SessionStart", at("https://policy.example.org/x")) });
  expect(start).toMatchObject({ value: { hooks: [], notes: [{ note: expect.stringContaining("there either") }] } });
});

test("an expression that looks around is asked about everything, and a rule without its parentheses still refuses", async () => {
  const settings = await read({
    [project]: {
      permissions: { deny: ["Read ~/.ssh/**", "Bash(rm *)"], allow: ["Read x"] },
      hooks: { PreToolUse: [{ matcher: "^(?!Read).*", hooks: [hook("x.sh")] }] },
    },
  });
  if (!settings.ok) throw new Error(settings.error.message);
  expect(settings.value.hooks).toEqual([expect.not.objectContaining({ matcher: expect.anything() })]);
  expect(settings.value.permissions?.rules?.map(({ rule }) => rule)).toEqual(["Read(~/.ssh/**)", "Bash(rm *)"]);
  expect(settings.value.notes.map(({ note }) => note)).toEqual([
    "the matcher ^(?!Read).* is not read here: the hook is asked about everything",
    '"Read ~/.ssh/**" is read as Read(~/.ssh/**)',
    '"Read x" is no rule, and allows nothing',
  ]);
});

test("managed settings may leave the hooks of all other files out", async () => {
  const settings = await read({
    [managed]: { allowManagedHooksOnly: true, ...asking("PreToolUse", hook("m.sh")) },
    [project]: asking("PreToolUse", hook("p.sh")),
  });
  expect(settings).toMatchObject({
    value: {
      hooks: [{ command: "m.sh" }],
      notes: [{ file: ".claude/settings.json", note: expect.stringContaining("allowManagedHooksOnly") }],
    },
  });
});

test("fields of a hook are taken as they are meant", async () => {
  const settings = await read({
    [project]: asking(
      "PreToolUse",
      hook("node", {
        args: ["${CLAUDE_PROJECT_DIR}/h.mjs", "it's"],
        if: "Bash(git *)",
        timeout: 5000,
        statusMessage: "…",
      }),
      hook("b.sh", { async: true, once: true, timeout: 5 }),
    ),
  });
  expect(settings).toMatchObject({
    value: {
      hooks: [
        {
          command: "node",
          args: ["${CLAUDE_PROJECT_DIR}/h.mjs", "it's"],
          if: "Bash(git *)",
          timeout: 600,
          isAsync: false,
        },
        { command: "b.sh", isAsync: true, timeout: 5 },
      ],
      notes: [{ note: expect.stringContaining("5000") }, { note: expect.stringContaining("once") }],
    },
  });
});

const refused: readonly (readonly [what: string, settings: unknown, where: string])[] = [
  ["no JSON", "{", ".claude/settings.json"],
  ["no object", "[]", ".claude/settings.json"],
  ["hooks that are no object", '{\n"hooks": []}', ".claude/settings.json:2"],
  ["an unknown event", '{\n"hooks": {\n"PreTooluse": []}}', ".claude/settings.json:3"],
  ["a type that nobody knows", { hooks: { PreToolUse: [{ hooks: [{ type: "shell" }] }] } }, ".claude/settings.json:1"],
  ["a refusal that is no rule", '{"permissions": {\n"deny": [\n"Bash(rm"]}}', ".claude/settings.json:3"],
  ["a mode that nobody knows", { permissions: { defaultMode: "yolo" } }, ".claude/settings.json:1"],
];

test.for(refused)("%s is refused by its line", async ([, settings, where]) => {
  expect(await read({ [project]: settings })).toMatchObject({
    ok: false,
    error: { code: "CONFIG_INVALID", message: expect.stringContaining(where), details: { where } },
  });
});

test("settings that are asked for and are nowhere are an error, not an open gate", async () => {
  expect(await read({})).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});

test("a workspace that is not trusted refuses and asks, and allows nothing", async () => {
  const settings = await read(
    { [project]: { permissions: { allow: ["Bash"], deny: ["Read(.env)"], defaultMode: "bypassPermissions" } } },
    { isTrusted: false },
  );
  expect(settings).toMatchObject({
    value: {
      permissions: { mode: { value: "default" }, rules: [{ effect: "deny" }] },
      notes: [{ note: expect.stringContaining("not trusted") }],
    },
  });
});

test("an administrator may keep everyone else's rules from allowing, and the bypass from being used", async () => {
  const settings = await read({
    [managed]: {
      allowManagedPermissionRulesOnly: true,
      permissions: { disableBypassPermissionsMode: "disable", allow: ["Bash(ls *)"] },
    },
    [user]: { permissions: { allow: ["Bash"], deny: ["Bash(rm *)"], defaultMode: "bypassPermissions" } },
  });
  expect(settings).toMatchObject({
    value: {
      permissions: {
        mode: { value: "default" },
        rules: [{ rule: "Bash(ls *)" }, { effect: "deny", rule: "Bash(rm *)" }],
      },
    },
  });
});

test("what is not taken is named with its line", async () => {
  const settings = await read({
    [project]:
      '{\n"sandbox": {"enabled": true},\n"permissions": {"additionalDirectories": ["../docs", "/home/ada/w/in"],\n"allow": ["Write(docs/**)"]}}',
  });
  expect(settings).toMatchObject({
    value: {
      notes: [
        { line: 2, note: expect.stringContaining("of sandbox enabled is not taken") },
        { line: 4, note: expect.stringContaining("Edit(docs/**)") },
        { line: 3, note: expect.stringContaining("../docs") },
      ],
    },
  });
});
