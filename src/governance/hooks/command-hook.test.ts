// Programs written for Claude Code, unchanged: what they mean there is what they mean here, and what fails open there fails closed here.
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "#core/values";
import { type HookWorkspace, hookWorkspace } from "../../../test/support/hook-workspace.ts";

const fixtures = join(import.meta.dirname, "../../../test/fixtures/claude-hooks");
const hasPython = spawnSync("python3", ["--version"]).status === 0;
let workspace: HookWorkspace;
beforeAll(async () => {
  workspace = await hookWorkspace();
  await mkdir(join(workspace.root, "hooks"), { recursive: true });
  for (const name of await readdir(fixtures)) await copyFile(join(fixtures, name), join(workspace.root, "hooks", name));
});
afterAll(() => workspace.close());

const call = (tool: string, args: JsonObject): JsonObject => ({ tool, args, call_id: "call-1", role: "worker" });
const command = (text: string) => ({ type: "command", command: text });
const print = (answer: unknown) => command(`cat >/dev/null; printf '%s' '${JSON.stringify(answer)}'`);

describe("existing hook programs", () => {
  test.skipIf(!hasPython)(
    "a Python guard blocks with exit 2 and its stderr, and is silent otherwise (skipped without python3)",
    async () => {
      const guard = command('python3 "$CLAUDE_PROJECT_DIR"/hooks/protect-files.py');
      expect(await workspace.ask(guard, "PreToolUse", call("fs.write", { path: ".env" }))).toMatchObject({
        decision: "deny",
        reason: ".env is protected",
      });
      expect(await workspace.ask(guard, "PreToolUse", call("fs.write", { path: "notes.md" }))).toMatchObject({
        decision: "allow",
        decidedBy: "none",
      });
    },
  );

  test("a shell guard works by its path", async () => {
    const guard = command("hooks/block-words.sh");
    expect(await workspace.ask(guard, "PreToolUse", call("db.query", { sql: "DROP TABLE users" }))).toMatchObject({
      decision: "deny",
      reason: "SQL that drops tables is not allowed",
    });
    expect(await workspace.ask(guard, "PreToolUse", call("db.query", { sql: "SELECT 1" }))).toMatchObject({
      decision: "allow",
    });
  });

  test("a program's updatedInput is a transform, and its ask goes to a person", async () => {
    const guard = command(`"${process.execPath}" hooks/approve-reads.mjs`);
    expect(await workspace.ask(guard, "PreToolUse", call("fs.read", { path: "a.md" }))).toMatchObject({
      decision: "transform",
      output: { path: "docs/a.md" },
    });
    expect(
      await workspace.ask(guard, "PreToolUse", call("fs.write", { path: "a.md" }), { canAsk: true }),
    ).toMatchObject({
      decision: "ask",
      reason: "writing needs a look",
    });
    expect(await workspace.ask(guard, "PreToolUse", call("fs.write", { path: "a.md" }))).toMatchObject({
      decision: "deny",
    });
  });

  test("Stop is turned round: to block stopping is to let the loop go on", async () => {
    const guard = command("hooks/keep-going.sh");
    expect(await workspace.ask(guard, "Stop", { ok: false, verdict: "fail", rework_count: 0 })).toMatchObject({
      decision: "allow",
      reason: "the tests have not been run",
    });
    expect(await workspace.ask(guard, "Stop", { ok: false, verdict: "fail", rework_count: 1 })).toMatchObject({
      decision: "deny",
      decidedBy: "none",
    });
  });

  test("what a prompt hook prints is context for the agents, and changes no prompt", async () => {
    expect(
      await workspace.ask(command("hooks/add-context.sh"), "UserPromptSubmit", { prompt: "fix it" }),
    ).toMatchObject({
      decision: "allow",
      context: [{ text: "Current branch: main" }],
    });
  });

  test("a formatter that chats after a tool call has no objection", async () => {
    expect(
      await workspace.ask(command("echo notes.md 12ms"), "PostToolUse", { tool: "fs.write", args: {}, result: "ok" }),
    ).toMatchObject({ decision: "allow" });
  });
});

describe("a guard of commands sees the line that Claude Code would have shown it", () => {
  const guard = {
    ...command("hooks/guard-bash.mjs"),
    command: `"${process.execPath}" hooks/guard-bash.mjs`,
  };
  test.for([
    [["rm", "-rf", "x"], "deny"],
    [["sh", "-c", "ls | xargs rm -rf"], "deny"],
    [["bash", "-c", "cd src && rm -rf x"], "deny"],
    [["ls", "-la"], "allow"],
    [["git", "push", "--force"], "ask"],
  ] as const)("%j is %s", async ([line, decision]) => {
    expect(
      await workspace.ask(guard, "PreToolUse", call("exec", { command: [...line] }), { canAsk: true }),
    ).toMatchObject({ decision });
  });

  test("what comes on stdin is part of it", async () => {
    const asked = call("exec", { command: ["sh"], stdin: "rm -rf x\n" });
    expect(await workspace.ask(guard, "PreToolUse", asked)).toMatchObject({ decision: "deny" });
  });

  test("a command that it rewrites is a shell's", async () => {
    expect(await workspace.ask(guard, "PreToolUse", call("exec", { command: ["npm", "test"] }))).toMatchObject({
      decision: "transform",
      output: { command: ["sh", "-c", "npm test --silent"] },
    });
  });

  test("each of several edits of a file is judged", async () => {
    const edits = [
      { old: "a", new: "b" },
      { old: "c", new: "password" },
    ];
    expect(await workspace.ask(guard, "PreToolUse", call("fs.edit", { path: "a.md", edits }))).toMatchObject({
      decision: "deny",
      reason: "no secrets",
    });
  });
});

describe("the words of the protocol", () => {
  const pre = (answer: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...answer } });
  test.for([
    { answer: {}, point: "PreToolUse", decision: "allow" },
    { answer: { continue: true, suppressOutput: true }, point: "PreToolUse", decision: "allow" },
    { answer: { decision: "approve", reason: "known" }, point: "PreToolUse", decision: "allow" },
    { answer: { decision: "block", reason: "no" }, point: "PreToolUse", decision: "deny" },
    { answer: { decision: "block", reason: "no" }, point: "PostToolUse", decision: "deny" },
    { answer: { decision: "block", reason: "no" }, point: "UserPromptSubmit", decision: "deny" },
    { answer: { decision: "approve" }, point: "Stop", decision: "deny" },
    { answer: { decision: "block", reason: "go on" }, point: "Stop", decision: "allow" },
    { answer: { continue: false, stopReason: "enough" }, point: "PreToolUse", decision: "deny" },
    { answer: { continue: false, decision: "block", reason: "go on" }, point: "Stop", decision: "deny" },
    { answer: { decision: "approve", ...pre({ permissionDecision: "deny" }) }, point: "PreToolUse", decision: "deny" },
    { answer: pre({ permissionDecision: "deny", updatedInput: { a: 1 } }), point: "PreToolUse", decision: "deny" },
    { answer: pre({ updatedInput: {} }), point: "PreToolUse", decision: "transform" },
    {
      answer: { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "" } },
      point: "PostToolUse",
      decision: "transform",
    },
    { answer: { hookSpecificOutput: { permissionDecision: "allow" } }, point: "Stop", decision: "deny" },
    { answer: { decision: "allow", reason: "ours" }, point: "Stop", decision: "allow" },
    { answer: { decision: "deny", reason: "ours" }, point: "Stop", decision: "deny" },
    { answer: { continue: "no" }, point: "PreToolUse", decision: "deny" },
    {
      answer: { hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision: "allow" } },
      point: "PreToolUse",
      decision: "deny",
    },
  ] as const)("$answer at $point is $decision", async ({ answer, point, decision }) => {
    const payload = { tool: "t", args: {}, result: "r", prompt: "p", call_id: "c" };
    expect(await workspace.ask(print(answer), point, payload)).toMatchObject({ decision });
  });

  test("a call that is put off is a question, and where nobody can be asked a denial", async () => {
    const putsOff = print(pre({ permissionDecision: "defer" }));
    const asked = call("t", { path: "a" });
    expect(await workspace.ask(putsOff, "PreToolUse", asked, { canAsk: true })).toMatchObject({ decision: "ask" });
    expect(await workspace.ask(putsOff, "PreToolUse", asked)).toMatchObject({ decision: "deny" });
  });

  test.for([
    { prints: ["no"], point: "UserPromptSubmit", decision: "deny" },
    { prints: [{ decision: "deny" }], point: "SessionStart", decision: "deny" },
    { prints: "deny", point: "SkillStart", decision: "deny" },
    { prints: [{ decision: "block" }], point: "PostToolUse", decision: "deny" },
    { prints: ["sent"], point: "WorkflowComplete", decision: "allow" },
  ] as const)("JSON that is no object, $prints, at $point is $decision", async ({ prints, point, decision }) => {
    expect(await workspace.ask(print(prints), point, { prompt: "p", result: "r" })).toMatchObject({ decision });
  });

  test("a label in brackets is text", async () => {
    expect(await workspace.ask(command("echo '[1/3] ready'"), "SessionStart", {})).toMatchObject({
      decision: "allow",
      context: [{ text: "[1/3] ready" }],
    });
    expect(await workspace.ask(command("echo '[1/3] ready'"), "PreToolUse", call("t", {}))).toMatchObject({
      decision: "deny",
    });
  });

  test("a person who is asked about a changed input is asked about the changed one", async () => {
    const both = print(
      pre({ permissionDecision: "ask", permissionDecisionReason: "look", updatedInput: { path: "safe" } }),
    );
    const outcome = await workspace.ask(both, "PreToolUse", call("t", { path: "raw" }), { canAsk: true });
    expect(outcome).toMatchObject({ decision: "ask", reason: "look", output: { path: "safe" } });
    expect(await workspace.ask(both, "PreToolUse", call("t", { path: "raw" }))).toMatchObject({ decision: "deny" });
  });

  test("exit 2 at Stop lets the loop go on; any other failure ends it", async () => {
    expect(await workspace.ask(command("echo not yet >&2; exit 2"), "Stop", { ok: false })).toMatchObject({
      decision: "allow",
      reason: "not yet",
    });
    expect(await workspace.ask(command("exit 1"), "Stop", { ok: false })).toMatchObject({ decision: "deny" });
  });
});

test("a program starts in the workspace, with a clean environment and the event on stdin", async () => {
  const outside = `${workspace.root}-outside`;
  process.env["WRIT_TEST_SECRET"] = "token";
  process.env["BASH_ENV"] = "/tmp/evil";
  try {
    const line = `cat > ${outside}/input.json; env > ${outside}/env.txt; pwd > ${outside}/cwd.txt`;
    const probe = { ...command(line), rights: { write: [`${outside}/`] } };
    await workspace.ask(probe, "PreToolUse", call("fs.write", { path: "a" }));
    const read = async (name: string) => (await import("node:fs/promises")).readFile(join(outside, name), "utf8");
    const env = await read("env.txt");
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${workspace.root}`);
    expect(env).toContain("WRIT_HOOK_POINT=PreToolUse");
    expect(env).not.toMatch(/WRIT_TEST_SECRET|BASH_ENV|NODE_OPTIONS/);
    expect((await read("cwd.txt")).trim()).toBe(workspace.root);
    expect(JSON.parse(await read("input.json"))).toMatchObject({
      session_id: workspace.recorder.session_id,
      cwd: workspace.root,
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { file_path: `${workspace.root}/a`, content: "" },
      tool_use_id: "call-1",
      tool: "fs.write",
      role: "worker",
    });
  } finally {
    delete process.env["WRIT_TEST_SECRET"];
    delete process.env["BASH_ENV"];
    await rm(outside, { recursive: true, force: true });
  }
});

test("a program that misses a file is told which line grants it, and the record says how it was kept apart", async () => {
  await workspace.write("Makefile", "check:\n\t@cat rules.txt >&2; exit 2\n");
  await workspace.write("rules.txt", "refused by make\n");
  const denied = await workspace.ask(command("make -s check"));
  expect(denied.reason).toContain("rights: { code: […]");
  expect(denied.reason).toContain("hooks.PreToolUse[0].hooks[0]");
  const granted = { ...command("make -s check"), rights: { read: ["rules.txt"] } };
  expect((await workspace.ask(granted)).reason).toContain("refused by make");
  const fired = workspace.recorder.events.findLast(({ type }) => type === "hook.fired");
  expect(fired?.payload).toMatchObject({ handlers: [{ kind: "command", tier: "T3" }] });
});

test("a hook writes nothing in the workspace", async () => {
  const wide = await workspace.load({ Stop: [{ hooks: [{ ...command("true"), rights: { write: ["notes/**"] } }] }] });
  expect(wide).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});
