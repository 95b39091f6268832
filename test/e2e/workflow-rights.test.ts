import { describe, expect, test } from "vitest";
import { type SessionId, systemClock } from "#core/values";
import { cycleWorkspace, definitions, finding, findings, made } from "../support/cycle-workspace.ts";
import { hostileServer } from "../support/mcp.ts";
import { writ, writJson } from "../support/resident-writ.ts";

const write = (path: string) => ({
  tool_calls: [{ name: "fs.write", args: { path, content: "x", expected_hash: "", why: "asked" } }],
});

describe("what a persona may do", () => {
  test("is held against every write by the capability layer, not left to the prompt", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        { when: { persona: "maker", call: 1, prompt: "allowed" }, respond: write("output/tidy/a.txt") },
        { when: { persona: "maker", call: 1, prompt: "beyond the policy" }, respond: write("output/other.txt") },
        { when: { persona: "maker", call: 1, prompt: "beyond the persona" }, respond: write("docs/a.md") },
        { when: { persona: "maker" }, respond: made },
        {
          when: { persona: "sharp-eye", call: 1, prompt: "reviewer writes" },
          respond: write("output/tidy/sneaky.txt"),
        },
        {
          when: { persona: "soft-eye", call: 1, prompt: "tool that is not mine" },
          respond: write("output/tidy/soft.txt"),
        },
        { when: { role: "reviewer" }, respond: findings() },
      ],
    });
    const told = async (prompt: string) => {
      const result = await workspace.run("tidy", { prompt, allow: ["docs/**"] });
      expect(result, result.error ?? "").toMatchObject({ verdict: "done" }); // a refused call is an answer, not the end
      const outputs = await workspace.told(result, "tool.output");
      const refused = await workspace.told(result, "tool.refused");
      return JSON.stringify([...outputs.filter(({ is_error }) => is_error), ...refused]);
    };
    expect(await told("allowed")).toBe("[]");
    expect(await told("beyond the policy")).toMatch(
      /CAPABILITY_VIOLATION.*policy tidy-rights \(workflows\/policies\/tidy-rights.md:5\) names output\/tidy\/\*\*/,
    );
    expect(await told("beyond the persona")).toMatch(/CAPABILITY_VIOLATION.*persona maker \(write-paths/);
    expect(await told("reviewer writes")).toMatch(/CAPABILITY_VIOLATION.*policy tidy-rights .* names none/);
    expect(await told("tool that is not mine")).toMatch(/TOOL_NOT_ALLOWED.*persona soft-eye/);
    for (const path of ["output/other.txt", "docs/a.md", "output/tidy/sneaky.txt", "output/tidy/soft.txt"])
      await expect(workspace.read(path), path).rejects.toThrow("ENOENT");
  });

  test("has a budget of its own: what one persona may not spend, another still can", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        { when: { persona: "maker" }, respond: made },
        { when: { role: "reviewer" }, respond: findings() },
      ],
      files: {
        "workflows/phases/look.md": (definitions["workflows/phases/look.md"] ?? "").replace(
          "[sharp-eye, { persona: soft-eye, optional: true }]",
          "[{ persona: sharp-eye, budget_share: 0.9 }, { persona: soft-eye, budget_share: 0.0001, optional: true }]",
        ),
      },
    });
    const result = await workspace.run("tidy");
    expect(result, result.error ?? "").toMatchObject({ verdict: "done" });
    const [, look] = await workspace.told(result, "workflow.fanned_out");
    const [sharp, soft] = look?.personas ?? [];
    expect(sharp?.token_limit).toBeGreaterThan(50_000);
    expect(soft?.token_limit).toBeLessThan(20);
    const [, gathered] = await workspace.told(result, "workflow.gathered");
    expect(gathered).toMatchObject({
      coverage: { reported: ["sharp-eye"] },
      failures: [{ persona: "soft-eye", code: "BUDGET_EXHAUSTED" }],
    });
  });

  test("in the mode report-only writes nothing, and the report waits in quarantine for a person", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        { when: { persona: "maker", call: 1 }, respond: write("output/tidy/a.txt") },
        { when: { persona: "maker" }, respond: made },
        { when: { persona: "sharp-eye" }, respond: findings(finding({ severity: "P0" })) },
      ],
    });
    const result = await workspace.run("tidy", { mode: "report-only" });
    expect(result).toMatchObject({ verdict: "abort", error_code: "POLICY_DENIED" });
    expect(JSON.stringify(await workspace.told(result, "tool.refused"))).toMatch(
      /CAPABILITY_VIOLATION.*the mode report-only/,
    );
    const [artifact] = await workspace.told(result, "workflow.artifact_written");
    const turns = await workspace.runtime.turnService();
    if (!turns.ok) throw new Error(turns.error.message);
    expect((await turns.value.release(result.quarantine_id ?? "")).ok).toBe(true);
    expect(await workspace.read(artifact?.path ?? "")).toContain("# fail");
    expect(await workspace.runtime.verifySession(result.session_id as SessionId)).toMatchObject({ ok: true });
  });

  test("whose values are in doubt waits for a person, and is refused in a mode without one", async () => {
    const text = { type: "string" };
    const send = { name: "send", description: "Sends", inputSchema: { type: "object", properties: { memo: text } } };
    await using server = hostileServer({ tools: [send] });
    const rights = { ...server.rights, hosts: ["mail.example"] };
    const call = { tool_calls: [{ name: "post.send", args: { memo: "who knows" } }] };
    await using workspace = await cycleWorkspace({
      config: { mcp: { servers: { post: { command: process.execPath, args: [...server.args], rights } } } },
      rules: [
        { when: { persona: "maker", call: 1 }, respond: call },
        { when: { persona: "maker" }, respond: made },
        { when: { role: "reviewer" }, respond: findings() },
      ],
      files: {
        "workflows/personas/worker/maker.md": (definitions["workflows/personas/worker/maker.md"] ?? "").replace(
          "[fs.write]",
          "[fs.write, post.send]",
        ),
      },
    });
    const surveys = await workspace.runtime.approvals.survey(new AbortController().signal, ["post"]);
    expect(await workspace.runtime.approvals.approve(surveys.flatMap(({ tools }) => tools))).toMatchObject({
      ok: true,
    });
    await workspace.reopen();
    const asked = await workspace.run("tidy");
    expect(asked).toMatchObject({ status: "waiting" });
    expect(await workspace.told(asked, "approval.requested")).toMatchObject([{ kind: "held_acts" }]);
    const alone = await workspace.run("tidy", { mode: "headless" });
    expect(alone.status).not.toBe("waiting");
    expect(await workspace.told(alone, "approval.requested")).toEqual([]);
    expect(await workspace.told(alone, "tool.refused")).toMatchObject([
      { name: "post.send", code: "POLICY_DENIED", verdict: "ask", reason: expect.stringContaining("none is there") },
    ]);
    expect(server.calls()).toEqual([]);
    expect(await workspace.runtime.verifySession(alone.session_id as SessionId)).toMatchObject({ violations: [] });
  });

  test("an artifact that breaks its schema is not written", async () => {
    await using workspace = await cycleWorkspace({
      rules: [{ when: { persona: "maker" }, respond: made }],
      files: {
        "workflows/artifacts/tidy-plan-template.md":
          "---\nid: tidy-plan\nnaming: output/tidy/plan-{run}.md\nschema: plan_v1\nschema_version: v1\n---\n{{steps}}\n",
        "workflows/phases/make.md": (definitions["workflows/phases/make.md"] ?? "").replace(
          "schema_version",
          "artifacts: [tidy-plan]\nschema_version",
        ),
      },
    });
    const result = await workspace.run("tidy");
    expect(result).toMatchObject({
      verdict: "abort",
      error_code: "SCHEMA_VIOLATION",
      error: expect.stringContaining("tidy-plan was not written"),
    });
    expect(await workspace.told(result, "schema.violation")).toMatchObject([{ schema_id: "plan_v1" }]);
    expect(await workspace.told(result, "tool.invoke")).toEqual([]);
  });

  test("goes on under the law that the cycle began with, whatever was written meanwhile", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        { when: { persona: "maker" }, respond: made },
        { when: { role: "reviewer" }, respond: findings() },
      ],
      files: {
        "workflows/phases/look.md": (definitions["workflows/phases/look.md"] ?? "").replace(
          "schema_version",
          "approval: { question: May they look? }\nschema_version",
        ),
      },
    });
    const waiting = await workspace.run("tidy");
    expect(waiting).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
    await workspace.write(
      "workflows/phases/look.md",
      (definitions["workflows/phases/look.md"] ?? "").replace("review_aggregate.p0_unresolved == 0", "1 == 2"),
    );
    await workspace.reopen();
    const { runtime } = workspace;
    const [open] = await runtime.inbox
      .list({ state: "open", limit: 5 })
      .then((listed) => (listed.ok ? listed.value : []));
    expect(open).toMatchObject({ kind: "workflow_wait", subject: { question: "May they look?", phase: "look" } });
    const by = runtime.localCaller();
    if (!by.ok || !open) throw new Error("nothing waits");
    const still = await runtime.resumeSession(waiting.session_id as SessionId);
    expect(still).toMatchObject({ ok: true, value: { status: "waiting" } });
    await runtime.decisions.decide(by.value, open.approval_id, {
      choice: "approve",
      subject_hash: open.subject_hash,
      reason: "yes",
    });
    const resumed = await runtime.resumeSession(waiting.session_id as SessionId);
    expect(resumed).toMatchObject({ ok: true, value: { status: "success", verdict: "done" } });
    expect(await runtime.verifySession(waiting.session_id as SessionId)).toMatchObject({ ok: true, violations: [] });
  });
});

test("a phase waits for a person for days, and a finding for a nod; the cycle's own time does not run meanwhile", async () => {
  let later = 0;
  const day = 86_400_000;
  await using workspace = await cycleWorkspace({
    clock: { ...systemClock, now: () => systemClock.now() + later },
    rules: [
      { when: { persona: "maker" }, respond: made },
      {
        when: { persona: "sharp-eye", call: 1 },
        respond: findings(finding({ severity: "P1", autofix_class: "gated_auto" })),
      },
      { when: { role: "reviewer" }, respond: findings() },
    ],
    config: { approvals: { expire_hours: 240, self_approval: "local" } },
    files: {
      "workflows/cycles/tidy.md": (definitions["workflows/cycles/tidy.md"] ?? "").replace(
        "max_generations: 3,",
        "max_generations: 3, timeout_seconds: 600,",
      ),
      "workflows/phases/look.md": (definitions["workflows/phases/look.md"] ?? "").replace(
        "schema_version",
        "approval: { question: May they look?, timeout_seconds: 604800 }\nschema_version",
      ),
      "workflows/policies/tidy-gate.md": (definitions["workflows/policies/tidy-gate.md"] ?? "").replace(
        "rules:",
        "rules:\n  - { when: finding.autofix_class == 'gated_auto', then: gated, reason: somebody nods }",
      ),
    },
  });
  const waiting = await workspace.run("tidy");
  const session_id = waiting.session_id as SessionId;
  let status: string = waiting.status;
  for (let waits = 0; status === "waiting"; waits += 1) {
    expect(waits).toBeLessThan(3); // May they look? Is the finding all right? May they look again?
    later += 3 * day;
    await workspace.reopen();
    const { inbox, decisions, localCaller } = workspace.runtime;
    const [by, listed] = [localCaller(), await inbox.list({ state: "open", limit: 5 })];
    const [open, ...more] = listed.ok ? listed.value : [];
    if (!by.ok || !open) throw new Error("nothing waits");
    expect(more).toEqual([]);
    const { approval_id, subject_hash } = open;
    const decided = await decisions.decide(by.value, approval_id, { choice: "approve", subject_hash, reason: "yes" });
    expect(decided.ok, JSON.stringify(decided)).toBe(true);
    const resumed = await workspace.runtime.resumeSession(session_id);
    if (!resumed.ok) throw new Error(resumed.error.message);
    status = resumed.value.status;
  }
  const [completed] = await workspace.told(waiting, "workflow.completed");
  expect(completed).toMatchObject({ verdict: "done", phases_visited: ["make", "look", "make", "look"] });
  for (const { observed } of await workspace.told(waiting, "workflow.gathered"))
    expect(observed.elapsed_seconds).toBeLessThan(600);
  expect(later).toBe(9 * day);
  expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
});

test("the command line lists, checks, runs, simulates and draws", { timeout: 180_000 }, async () => {
  await using workspace = await cycleWorkspace({
    rules: [
      { when: { persona: "maker" }, respond: made },
      { when: { role: "reviewer" }, respond: findings() },
    ],
  });
  await workspace.runtime.close();
  const root = ["--root", workspace.root];
  const [listed, ran, simulated, drawn] = await Promise.all([
    writJson<{ id: string; origin: string }[]>(["workflow", "list", ...root]),
    writJson<object>(["workflow", "run", "tidy", ...root]),
    writJson<object>(["workflow", "simulate", "tidy", "--seed", "1", ...root]),
    writ(["workflow", "graph", "tidy", "--format", "svg", ...root]),
  ]);
  expect(listed.json).toContainEqual(expect.objectContaining({ id: "tidy", origin: "workspace" }));
  expect(listed.json.filter(({ origin }) => origin === "shipped").map(({ id }) => id)).toEqual([
    "bug-fix",
    "code-review",
    "incident-post-mortem",
    "plan-work-review-ship",
    "research-to-document",
  ]);
  expect([ran.status, ran.json]).toMatchObject([
    0,
    {
      cycle_id: "tidy",
      verdict: "done",
      phases_visited: ["make", "look"],
      session_id: expect.stringMatching(/^SES-/),
    },
  ]);
  expect(simulated.json).toMatchObject({ cycle_id: "tidy", verdict: expect.stringMatching(/done|halted|abort/) });
  expect(drawn.stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  await workspace.write(
    "workflows/phases/make.md",
    "---\nid: make\nadvance_signal: looks good to me\nschema_version: v1\n---\n",
  );
  const [broken, unknown] = await Promise.all([
    writJson<{ problems: object[] }>(["workflow", "check", ...root]),
    writ(["workflow", "run", "no-such-cycle", "--json", ...root]),
  ]);
  expect([broken.status, broken.json.problems]).toMatchObject([
    1,
    expect.arrayContaining([
      expect.objectContaining({ file: "workflows/phases/make.md", line: 3, rule: "prose-signal" }),
    ]),
  ]);
  expect(unknown.status).toBe(3); // definitions with a problem run nothing
  await workspace.reopen();
});
