// A settings file of Claude Code decides here what it decides there, or something stricter.
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

test("a rule about Skill refuses it however it would start, and one that only a person starts is started by no word", async () => {
  const workspace = await workspaceWith(
    { permissions: { deny: ["Skill(deploy)"], allow: ["Skill"] } },
    {
      rules: [{ when: {}, respond: { text: "done" } }],
      files: {
        ".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys.\n---\nGo.\n",
        ".claude/skills/publish/SKILL.md":
          "---\nname: publish\ndescription: Publishes.\ndisable-model-invocation: true\n---\nGo.\n",
      },
    },
  );
  for (const prompt of ["deploy it", "/deploy"])
    expect(await workspace.ask(prompt)).toMatchObject({ error: expect.stringContaining("denies Skill(deploy)") });
  const started = async (prompt: string) => {
    const done = await workspace.ask(prompt);
    expect(done.status).toBe("success");
    return (await workspace.events(done.session_id)).some(({ type }) => type === "skill.invoke");
  };
  expect(await started("publish it")).toBe(false);
  expect(await started("/publish it")).toBe(true);
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

test("a hook that cannot be asked here denies what it would decide", async () => {
  const workspace = await workspaceWith({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "mcp_tool", server: "plugin:kit:db", tool: "look" }] }] },
  });
  expect(await call(workspace, "fs.write", write("a.md"))).toMatchObject({
    error_code: "GATE_DENIED",
    error: expect.stringContaining("servers of plugins are not started here"),
  });
  expect(await call(workspace, "fs.list", {})).toMatchObject({ status: "success" });
});

test("a hook of type http is asked at its address; what is no answer denies", async () => {
  const seen: { readonly url: string; readonly token: unknown; readonly body: { readonly tool_name: string } }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request
      .on("data", (piece) => (body += piece))
      .on("end", () => {
        seen.push({ url: request.url ?? "", token: request.headers["authorization"], body: JSON.parse(body) });
        const denied = { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no rm here" } };
        const answers: Readonly<Record<string, readonly [number, string]>> = {
          "/guard": [200, /rm -rf/.test(body) ? JSON.stringify(denied) : ""],
          "/moved": [302, ""],
          "/words": [200, "fine"],
        };
        const [status, text] = answers[request.url ?? ""] ?? [500, ""];
        response.writeHead(status, status === 302 ? { location: "/guard" } : {}).end(text);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string, matcher: string) => ({
    matcher,
    hooks: [
      {
        type: "http",
        url: `${base}${path}`,
        headers: { authorization: "Bearer $GUARD_TOKEN$HOME" },
        allowedEnvVars: ["GUARD_TOKEN"],
      },
    ],
  });
  const workspace = await workspaceWith(
    { hooks: { PreToolUse: [at("/guard", "Bash"), at("/moved", "LS"), at("/words", "Grep"), at("/broken", "Read")] } },
    { env: { ...process.env, GUARD_TOKEN: "t-123" }, files: { "a.md": "a\n" } },
  );
  expect(await sh(workspace, "rm -rf x")).toMatchObject({ error: expect.stringContaining("no rm here") });
  expect(await sh(workspace, "true")).toMatchObject({ status: "success" });
  expect(seen.map(({ url, token }) => [url, token])).toEqual([
    ["/guard", "Bearer t-123"],
    ["/guard", "Bearer t-123"],
  ]);
  expect(seen[0]?.body).toMatchObject({ tool_name: "Bash", tool_input: { command: "rm -rf x" } });
  for (const [tool, args, why] of [
    ["fs.list", {}, "status 302"],
    ["fs.search", { pattern: "a" }, "expected nothing or one JSON object"],
    ["fs.read", { path: "a.md" }, "status 500"],
  ] as const)
    expect(await call(workspace, tool, args)).toMatchObject({ error: expect.stringContaining(why) });
  expect(seen.filter(({ url }) => url === "/guard")).toHaveLength(2); // the redirect was not followed
});

test("`writ hook list` and `writ doctor` name each hook with its file, and what is not taken", async () => {
  const settings = {
    hooks: {
      Notification: group({ command: "notify-send x" }),
      PermissionRequest: [
        { matcher: "Bash", hooks: [{ type: "command", command: "true" }] },
        { hooks: [{ type: "agent", prompt: "may it?" }] },
      ],
      PreToolUse: [
        {
          hooks: [
            { type: "agent", prompt: "fine?" },
            { type: "http", url: "https://policy.example.org/x" },
          ],
        },
      ],
    },
  };
  const workspace = await workspaceWith(settings, {
    files: { ".claude/settings.json": JSON.stringify(settings, null, 2) },
  });
  const listed = await cli(workspace.root, "hook", "list");
  expect(listed.text).toMatch(/PreToolUse as PermissionRequest +true +0 +Bash +command +\.claude\/settings\.json/);
  expect(listed.text).toContain(".claude/settings.json:3: Notification is not asked: ");
  expect(listed.text).toContain("hooks of type agent are not asked at PermissionRequest there either");
  expect(listed.text).toMatch(/PreToolUse +agent: fine\? +0 +\* +agent +\.claude\/settings\.json/);
  expect(listed.text).toMatch(/PreToolUse +https:\/\/policy\.example\.org\/x +0 +\* +http +\.claude\/settings\.json/);
  const json = JSON.parse((await cli(workspace.root, "hook", "list", "--json")).text);
  expect(json.not_taken).toHaveLength(2);
  const doctor = await cli(workspace.root, "doctor");
  expect(doctor.text).toContain("Notification is not asked");
  expect(doctor.text).toContain("there either");
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

test("hooks in the head of a skill are asked from its start on, and a head that cannot be read denies there", async () => {
  const head = (hooks: string) => `---\nname: x\ndescription: Writes carefully.\n${hooks}---\nWrite.\n`;
  const guard = (command: string) =>
    `hooks:\n  PreToolUse:\n    - matcher: Write\n      hooks:\n        - { type: command, command: ${command} }\n`;
  const writes = [
    { when: { call: 1 }, respond: { tool_calls: [{ name: "skill.load", args: { skill: "careful" } }] } },
    { when: { call: 2 }, respond: { tool_calls: [{ name: "fs.write", args: write("b.md") }] } },
    { when: { call: 3 }, respond: { text: "done" } },
  ];
  const workspace = await workspaceWith(
    { model: "opus" },
    {
      rules: writes,
      files: {
        ".claude/skills/careful/SKILL.md": head(guard("'sh \"$CLAUDE_PROJECT_DIR/.claude/skills/careful/no.sh\"'")),
        ".claude/skills/careful/no.sh": "echo the skill says no >&2; exit 2\n",
        ".claude/skills/broken/SKILL.md": head("hooks: [what]\n"),
      },
    },
  );
  expect(await call(workspace, "fs.write", write("a.md"))).toMatchObject({ status: "success" });
  const refusals = async (session_id: string | null | undefined) =>
    JSON.stringify((await workspace.events(session_id)).filter(({ type }) => type === "tool.refused"));
  const loading = await workspace.ask("do it", { allow: ["skill.load", "fs.write"] });
  expect(await refusals(loading.session_id)).toContain("the skill says no");
  const started = await workspace.ask("/careful do it", { allow: ["skill.load", "fs.write"] });
  expect(await refusals(started.session_id)).toContain("the skill says no");
  const broken = await workspace.ask("/broken do it", { allow: ["skill.load", "fs.write"] });
  expect(await refusals(broken.session_id)).toContain("expected an object of events");
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
