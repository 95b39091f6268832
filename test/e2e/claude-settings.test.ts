// A settings file of Claude Code decides here what it decides there, or something stricter.
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "../support/runtime-workspace.ts";

const readsSettings = { hooks: { read_claude_settings: true } };

async function workspaceWith(settings: object, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await testWorkspace({
    ...options,
    config: { ...readsSettings, ...options.config },
    files: { ".claude/settings.json": JSON.stringify(settings), ...options.files },
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const scope = { allowed_files: ["**"], read_files: ["**"] };
const call = (workspace: TestWorkspace, tool: string, args: object) =>
  workspace.order({ type: "tool-call", scope, input: { tool, args }, tool_permissions: [tool] });
const sh = (workspace: TestWorkspace, line: string) => call(workspace, "exec", { command: ["sh", "-c", line] });
const write = (path: string) => ({ path, content: "x\n", expected_hash: "", why: "a test" });

test("rules refuse, ask and allow in the order that they have there", async () => {
  const workspace = await workspaceWith(
    {
      permissions: {
        deny: ["Bash(rm *)", "Read(.env)", "Edit(/vendor/**)"],
        ask: ["Bash(git push *)"],
        allow: ["Bash(git *)", "Edit(/src/**)"],
      },
    },
    { files: { "vendor/a.js": "a\n", "conf/.env": "KEY=1\n" } },
  );
  const refused = await sh(workspace, "ls && FOO=1 rm -rf src");
  expect([refused.status, refused.error_code]).toEqual(["rejected", "TOOL_NOT_ALLOWED"]);
  expect(refused.error).toContain(".claude/settings.json (permissions.deny[0]) denies Bash(rm *)");
  expect(await sh(workspace, "git push origin main")).toMatchObject({ error_code: "APPROVAL_PENDING" });
  expect(await sh(workspace, "make")).toMatchObject({ error_code: "APPROVAL_PENDING" });
  expect(await call(workspace, "fs.write", write("vendor/b.js"))).toMatchObject({ error_code: "TOOL_NOT_ALLOWED" });
  expect(await call(workspace, "fs.write", write("docs/b.md"))).toMatchObject({ error_code: "APPROVAL_PENDING" });
  expect(await call(workspace, "fs.write", write("src/b.ts"))).toMatchObject({ status: "success" });
  expect(await call(workspace, "fs.read", { path: "conf/.env" })).toMatchObject({ status: "rejected" });
  const looked = await call(workspace, "fs.search", { pattern: "KEY" });
  expect([looked.status, JSON.stringify(looked)]).toEqual(["success", expect.not.stringContaining("KEY=1")]);
});

test("the mode decides what no rule is about, and the mandate of the session says so", async () => {
  const workspace = await workspaceWith({ permissions: { defaultMode: "plan", allow: ["Bash(make *)"] } });
  const refused = await call(workspace, "fs.write", write("a.md"));
  expect(refused.error).toContain("permissions.defaultMode) no rule allows Write(a.md) in the mode plan");
  expect(await sh(workspace, "ls | head -3")).toMatchObject({ status: "success" });
  const started = (await workspace.events(refused.session_id)).find(({ type }) => type === "wo.started");
  expect(started?.payload).toMatchObject({
    mandate: { settings: { mode: { value: "plan" }, rules: [{ effect: "allow", rule: "Bash(make *)" }] } },
  });
});

test("without permissions in any file the order alone decides, as before", async () => {
  const workspace = await workspaceWith({ model: "opus" });
  const done = await call(workspace, "fs.write", write("a.md"));
  expect(done).toMatchObject({ status: "success" });
  const started = (await workspace.events(done.session_id)).find(({ type }) => type === "wo.started");
  expect(JSON.stringify(started)).not.toContain('"settings"');
});

const group = (hook: object, matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: "command", ...hook }] },
];

test("what hooks say when a session begins reaches every agent of the order, as data", async () => {
  const workspace = await workspaceWith({
    hooks: {
      SessionStart: [
        ...group({ command: "echo the branch is main" }, "startup"),
        ...group({ command: "echo RESUMED" }, "resume"),
      ],
      UserPromptSubmit: group({
        command: `echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"three issues are open","sessionTitle":"t"}}'`,
      }),
    },
  });
  for (const strategy of ["solo", "plan-work-review"]) {
    const done = await workspace.ask("greet Ada", { strategy });
    expect(done.status).toBe("success");
    const asked = (await workspace.events(done.session_id)).filter(({ type }) => type === "llm.request");
    expect(asked.length).toBeGreaterThan(strategy === "solo" ? 0 : 3);
    for (const request of asked.filter(({ payload }) => (payload as { call?: number }).call !== 2)) {
      const text = JSON.stringify(request.payload);
      if (!text.includes('"system"')) continue; // it goes on with a conversation that began with them
      expect(text).toContain("the branch is main");
      expect(text).toContain("three issues are open");
      expect(text).toContain("| hook:");
      expect(text).not.toContain("RESUMED");
    }
  }
});

test("hooks are asked about the calls that they are written for, in the form of their event", async () => {
  const log = `#!/bin/sh\ncat >> "$MARK"; echo >> "$MARK"\n`;
  const workspace = await workspaceWith(
    {
      hooks: {
        PreToolUse: [
          ...group({ command: "echo no git here >&2; exit 2", if: "Bash(git *)" }, "Bash"),
          ...group({
            command: "sh",
            args: ["-c", `case "$1" in "it's \\$HOME") exit 0;; *) echo "$1" >&2; exit 2;; esac`, "sh", "it's $HOME"],
          }),
          ...group({ command: "exit 2", async: true }),
        ],
        PermissionRequest: group(
          {
            command: `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not vendored"}}}'`,
            if: "Edit(vendor/**)",
          },
          "Write|Edit",
        ),
        PostToolUseFailure: group(
          { command: 'sed \'s/.*"hook_event_name":"\\([A-Za-z]*\\)".*/withheld after \\1/\' >&2; exit 2' },
          "Read",
        ),
      },
    },
    { files: { "hooks/log.sh": log } },
  );
  await chmod(join(workspace.root, "hooks/log.sh"), 0o755);
  expect(await sh(workspace, "make; git status")).toMatchObject({
    error_code: "GATE_DENIED",
    error: expect.stringContaining("no git here"),
  });
  expect(await sh(workspace, "true")).toMatchObject({ status: "success" });
  expect(await call(workspace, "fs.write", write("vendor/b.js"))).toMatchObject({
    error: expect.stringContaining("not vendored"),
  });
  expect(await call(workspace, "fs.write", write("src/b.js"))).toMatchObject({ status: "success" });
  const failed = await call(workspace, "fs.read", { path: "absent.md" });
  expect(failed.error).toContain("withheld after PostToolUseFailure");
  expect(await call(workspace, "fs.read", { path: "src/b.js" })).toMatchObject({ status: "success" });
  expect(existsSync(join(workspace.root, "vendor/b.js"))).toBe(false);
});

test("a type of hook that is not asked here denies what it would decide", async () => {
  const workspace = await workspaceWith({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "prompt", prompt: "fine?" }] }] },
  });
  expect(await call(workspace, "fs.write", write("a.md"))).toMatchObject({
    error_code: "GATE_DENIED",
    error: expect.stringContaining("hooks of type prompt are not asked here"),
  });
  expect(await call(workspace, "fs.list", {})).toMatchObject({ status: "success" });
});

test("`writ hook list` and `writ doctor` name each hook with its file, and what is not taken", async () => {
  const settings = {
    hooks: {
      Notification: group({ command: "notify-send x" }),
      PermissionRequest: group({ command: "true" }, "Bash"),
      PreToolUse: [{ hooks: [{ type: "http", url: "https://policy.example.org" }] }],
    },
  };
  const workspace = await workspaceWith(settings, {
    files: { ".claude/settings.json": JSON.stringify(settings, null, 2) },
  });
  const listed = await cli(workspace.root, "hook", "list");
  expect(listed.text).toMatch(/PreToolUse as PermissionRequest +true +0 +Bash +command +\.claude\/settings\.json/);
  expect(listed.text).toContain(".claude/settings.json:3: Notification is not asked: ");
  expect(listed.text).toContain(": hooks of type http are not asked here: PreToolUse decides, so it denies");
  const json = JSON.parse((await cli(workspace.root, "hook", "list", "--json")).text);
  expect(json.not_taken).toHaveLength(2);
  const doctor = await cli(workspace.root, "doctor");
  expect(doctor.text).toContain("Notification is not asked");
});

test("a command starts its skill with its arguments, and takes tools away; hooks of a plugin are asked", async () => {
  const workspace = await workspaceWith(
    { model: "opus" },
    {
      files: {
        ".claude/commands/echo-it.md": "---\nallowed-tools: echo\ndisallowed-tools: Bash\n---\nSay $0 to $ARGUMENTS.\n",
        ".claude/plugins/kit/hooks/hooks.json": JSON.stringify({
          hooks: { PreToolUse: group({ command: 'sh "${CLAUDE_PLUGIN_ROOT}/guard.sh"' }, "Write") },
        }),
        ".claude/plugins/kit/guard.sh": "echo the kit says no >&2; exit 2\n",
      },
    },
  );
  const done = await workspace.ask("/echo-it Ada now");
  const events = await workspace.events(done.session_id);
  expect(events.find(({ type }) => type === "skill.invoke")?.payload).toMatchObject({
    skill: "echo-it",
    selected_by: "name",
  });
  const asked = events.find(({ type }) => type === "llm.request");
  expect(JSON.stringify(asked)).toContain("Say Ada to Ada now.");
  const started = events.find(({ type }) => type === "wo.started");
  expect(started?.payload).toMatchObject({
    mandate: { settings: { rules: [{ effect: "deny", rule: "Bash", document: "skill echo-it" }] } },
  });
  expect(await call(workspace, "fs.write", write("a.md"))).toMatchObject({
    error: expect.stringContaining("the kit says no"),
  });
});

test("a program reads the conversation so far where Claude Code has it", async () => {
  const line = `node -e 'const {transcript_path, permission_mode} = JSON.parse(require("fs").readFileSync(0)); const lines = require("fs").readFileSync(transcript_path, "utf8").trim().split("\\n").map(JSON.parse); const uses = lines.flatMap((l) => l.type === "assistant" ? l.message.content : []).map((c) => c.name ?? c.type); console.error([permission_mode, lines[0].type, lines[0].sessionId.length, ...uses].join(" ")); process.exit(2)'`;
  const workspace = await workspaceWith(
    { permissions: { defaultMode: "acceptEdits" }, hooks: { PreToolUse: group({ command: line }, "Write") } },
    {
      rules: [
        { when: { call: 1 }, respond: { tool_calls: [{ name: "fs.list", args: {} }] } },
        { when: { call: 2 }, respond: { tool_calls: [{ name: "fs.write", args: write("a.md") }] } },
        { when: { call: 3 }, respond: { text: "done" } },
      ],
    },
  );
  const done = await workspace.ask("write a note", { strategy: "solo" });
  const refused = (await workspace.events(done.session_id)).find(({ type }) => type === "tool.refused");
  expect(refused?.payload).toMatchObject({ reason: expect.stringMatching(/acceptEdits user \d+ LS Write/) });
});
