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
  expect(asked).toHaveLength(10);
});

test("a type of hook that is not asked denies where it decides, and is left out where it only observes", async () => {
  const http = { type: "http", url: "https://policy.example.org/x" };
  const settings = await read({
    [project]: { hooks: { PreToolUse: [{ hooks: [http] }], Stop: [{ hooks: [{ type: "prompt", prompt: "done?" }] }] } },
  });
  expect(settings).toMatchObject({
    value: {
      hooks: [{ event: "PreToolUse", unable: "hooks of type http are not asked here" }],
      notes: [
        { line: 1, note: expect.stringContaining("so it denies") },
        { note: expect.stringContaining("left out") },
      ],
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
        { line: 2, note: expect.stringContaining("sandbox is not taken") },
        { line: 4, note: expect.stringContaining("Edit(docs/**)") },
        { line: 3, note: expect.stringContaining("../docs") },
      ],
    },
  });
});
