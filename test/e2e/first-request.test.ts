// Seed 002's eleven end-to-end criteria, by number, through the public door.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSessionId, type SessionId, sha256 } from "#core/values";
import { replay, snapshotText } from "#log";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

describe("seed 002, end to end", () => {
  test("1. required schemas are loaded", () => {
    const ids = workspace.runtime.schemas.ids();
    for (const id of [
      "completion_request_v1",
      "completion_response_v1",
      "lead_directive_v1",
      "plan_v1",
      "worker_report_v1",
      "review_result_v1",
      "skill_frontmatter_v1",
      "write_claim_v1",
    ])
      expect(ids).toContain(id);
  });

  test("2. greet skill is discovered", async () => {
    const found = await workspace.runtime.skills.discover();
    expect(found.ok && found.value.skills.map((skill) => skill.id)).toContain("greet");
  });

  test("3. echo tool is registered", () => {
    expect(workspace.runtime.tools.find("echo")).toBeDefined();
  });

  test("4. PreToolUse, Stop, UserPromptSubmit hooks are registered", () => {
    const points = workspace.runtime.hooks.list().map((hook) => hook.point);
    expect(points).toEqual(expect.arrayContaining(["PreToolUse", "Stop", "UserPromptSubmit"]));
  });

  test("5. provider can be swapped through RuntimeProfile", async () => {
    const rules = [
      {
        when: { role: "worker" },
        respond: { json: { output: "from the other model", steps_completed: ["s1"], schema_version: "v1" } },
      },
    ];
    await using other = await testWorkspace({
      config: { profiles: { other: { provider: "scripted", model: "other-1", script: "other.yaml" } } },
      files: { "other.yaml": JSON.stringify({ rules }) },
    });
    const usual = await other.order();
    const swapped = await other.order({
      type: "plan-work-review",
      profile: "other",
      budget: { token_limit: 50_000, turn_limit: 20 },
    });
    expect(usual.status).toBe("success");
    expect(swapped.response).toBe("from the other model");
    const models = (await other.events(swapped.session_id))
      .filter((event) => event.type === "llm.request")
      .map((event) => (event.payload as { model: string }).model);
    expect(new Set(models)).toEqual(new Set(["other-1"]));
  });

  test("6. a request completes lead -> planner -> worker -> reviewer", async () => {
    const result = await workspace.ask("greet Ada");
    expect(result).toMatchObject({ status: "success", response: "Hello, Ada", verdict: "pass", error: null });
    const events = await workspace.events(result.session_id);
    expect(
      events.filter((event) => event.type === "agent.transition").map((event) => (event.payload as { to: string }).to),
    ).toEqual(["LEAD", "PLAN", "WORK", "REVIEW", "DONE"]);
    const completed = events.find((event) => event.type === "wo.completed");
    expect(completed?.payload).toMatchObject({ outcome: { status: "success", quality_signal: "pass" } });
  });

  test("7. .events.jsonl contains session, llm, agent, hook, skill, tool events", async () => {
    const { session_id } = await workspace.ask("greet Ada");
    await workspace.runtime.log.flush();
    const folder = join(workspace.root, "planes/ho1/sessions", String(session_id));
    const types = new Set(
      (await readFile(join(folder, ".events.jsonl"), "utf8"))
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { type: string }).type),
    );
    for (const type of [
      "session.start",
      "hook.fired",
      "skill.invoke",
      "agent.transition",
      "llm.request",
      "llm.response",
      "tool.invoke",
      "tool.result",
      "worker.report",
      "skill.complete",
      "session.close",
    ])
      expect(types).toContain(type);
    expect((await readdir(join(folder, "ledger"))).sort()).toEqual(["evidence.jsonl", "exec.jsonl"]);
    expect((await stat(join(folder, "ledger/exec.jsonl"))).size).toBeGreaterThan(0);
  });

  test("8. replay() reproduces closed snapshot and worker output", async () => {
    const { session_id } = await workspace.ask("greet Ada");
    await workspace.runtime.log.flush();
    const text = await workspace.read(`planes/ho1/sessions/${session_id}/snapshot.json`);
    const snapshot = JSON.parse(text) as Record<string, unknown>;
    expect(snapshot).toMatchObject({ session_id, closed: true, ok: true, output: "Hello, Ada" });
    const folded = await replay(session_id as never, {
      reader: workspace.runtime.log,
      schemas: workspace.runtime.schemas,
    });
    expect(folded.ok && snapshotText(folded.value)).toBe(text);
  });

  test("9. protected_write rejects stale expected_hash", async () => {
    await workspace.write("notes/plan.md", "as it is now");
    const stale = { path: "notes/plan.md", content: "new", expected_hash: sha256("as it was"), why: "to test" };
    const write = (args: object) =>
      workspace.order({
        type: "tool-call",
        tool_permissions: ["fs.write"],
        scope: { allowed_files: ["notes/**"] },
        input: { tool: "fs.write", args },
      });
    expect(await write(stale)).toMatchObject({ error_code: "WRITE_CONFLICT" });
    expect(await workspace.read("notes/plan.md")).toBe("as it is now");
    expect(await write({ ...stale, expected_hash: sha256("as it is now") })).toMatchObject({ status: "success" });
  });

  test("11. UserPromptSubmit can redact a 16-digit sequence", async () => {
    const { session_id } = await workspace.ask("greet Ada, card 1234567812345678");
    const events = await workspace.events(session_id);
    expect(JSON.stringify(events)).not.toContain("1234567812345678");
    const fired = events.find(
      (event) => event.type === "hook.fired" && (event.payload as { point: string }).point === "UserPromptSubmit",
    );
    expect(fired?.payload).toMatchObject({ decision: "transform", handler: "redact-pii" });
  });

  test("10. an invalid schema payload fails closed", async () => {
    await using broken = await testWorkspace({
      rules: [{ when: { role: "planner" }, respond: { json: { steps: [] } } }],
    });
    const result = await broken.ask("greet Ada");
    expect(result).toMatchObject({ status: "failure", error_code: "MALFORMED_AGENT_MESSAGE" });
    const events = await broken.events(result.session_id);
    expect(events.map((event) => event.type)).toContain("schema.violation");
    expect(events.map((event) => event.type)).not.toContain("tool.invoke");
    expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: false } });
  });
});

test("a session starts with the hash of its prompt and never holds a text that the prompt's hook rewrote", async () => {
  await using rewritten = await testWorkspace({
    config: { hooks: { UserPromptSubmit: [{ hooks: [{ type: "module", module: "hooks/rewrite.mjs" }] }] } },
    files: {
      "hooks/rewrite.mjs": `export default ({ prompt }) => ({ decision: "transform", output: { prompt: prompt.replace("Zacharias", "Ada") } });`,
    },
  });
  const result = await rewritten.ask("greet Zacharias");
  expect(result.response).toBe("Hello, Ada");
  const events = await rewritten.events(result.session_id);
  expect(events[0]).toMatchObject({
    type: "session.start",
    payload: { prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(JSON.stringify(events)).not.toContain("Zacharias");
});

test("an invalid skill is skipped with an event that says why, and the request goes on without it", async () => {
  await using workspace = await testWorkspace({
    files: { "skills/broken/SKILL.md": "---\nname: broken\ndescription: d\ntriggers: [greet]\nversion: [1]\n---\n" },
  });
  const result = await workspace.ask("greet Ada");
  expect(result).toMatchObject({ status: "success", response: "Hello, Ada" });
  const events = await workspace.events(result.session_id);
  expect(events.filter((event) => event.type === "skill.skipped").map((event) => event.payload)).toMatchObject([
    { path: "skills/broken/SKILL.md", reason: expect.stringContaining("$.version") },
  ]);
});

test("near its limit a conversation is shortened: PreCompact is asked, the log keeps the originals", async () => {
  const call = (number: number, letter: string) => ({
    when: { role: "worker", call: number },
    respond: { tool_calls: [{ name: "echo", args: { text: letter.repeat(3_000) } }] },
  });
  const done = { output: "Hello, Ada", steps_completed: ["s1"], schema_version: "v1" };
  const rules = [call(1, "a"), call(2, "b"), { when: { role: "worker", call: 3 }, respond: { json: done } }];
  await using workspace = await testWorkspace({ rules, config: { limits: { context_tokens: 1_600 } } });
  const result = await workspace.ask("greet Ada");
  expect(result, result.error ?? "").toMatchObject({ status: "success", response: "Hello, Ada" });
  const events = await workspace.events(result.session_id);
  const asked = events.findIndex(
    (event) => event.type === "hook.fired" && (event.payload as { point: string }).point === "PreCompact",
  );
  const compacted = events.findIndex((event) => event.type === "context.compacted");
  expect(asked).toBeGreaterThan(0);
  expect(compacted).toBeGreaterThan(asked);
  expect(JSON.stringify(events.slice(0, compacted))).toContain("a".repeat(3_000));
  const next = events.slice(compacted).find((event) => event.type === "llm.request");
  expect(JSON.stringify(next?.payload)).not.toContain("a".repeat(3_000));
  if (!isSessionId(String(result.session_id))) throw new Error("no session");
  expect((await workspace.runtime.verifySession(result.session_id as SessionId)).violations).toEqual([]);
});
