import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { replay } from "#log";
import { cycleWorkspace, finding, findings, made } from "../support/cycle-workspace.ts";
import { repository } from "../support/writ.ts";

const maker = { when: { persona: "maker" }, respond: made };

async function newest(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Math.max(...(await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs))));
}

describe("a cycle that is nothing but Markdown in a fresh workspace", () => {
  test("runs from its entry phase to done, and no file of the program changes", async () => {
    const before = await newest(join(repository, "src"));
    await using workspace = await cycleWorkspace({
      rules: [maker, { when: { persona: "sharp-eye" }, respond: findings(finding()) }],
    });
    const result = await workspace.run("tidy");
    expect(result, result.error ?? "").toMatchObject({ status: "success", verdict: "done" });
    expect(await newest(join(repository, "src"))).toBe(before);

    const events = await workspace.events(result.session_id);
    const story = events
      .filter(({ type }) => type.startsWith("workflow."))
      .map(({ type, payload }) => {
        const { phase, to_phase } = payload as { phase?: string; to_phase?: string | null };
        return [type.replace("workflow.", ""), to_phase === undefined ? phase : to_phase].join(" ").trim();
      });
    expect(story).toEqual([
      "started",
      "entered make",
      "policy_gated make",
      "fanned_out make",
      "gathered make",
      "policy_gated make",
      "judged make",
      "phase_advanced look",
      "entered look",
      "policy_gated look",
      "policy_gated look",
      "fanned_out look",
      "gathered look",
      "policy_gated look",
      "policy_gated look",
      "finding_routed look",
      "policy_gated look",
      "judged look",
      "artifact_written look",
      "phase_advanced",
      "completed",
    ]);
    // The model calls of personas stand where they always do, with the persona beside the role.
    const requests = await workspace.told(result, "llm.request");
    expect(
      requests.map(({ role, persona }) => [role, persona]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    ).toEqual([
      ["reviewer", "sharp-eye"],
      ["reviewer", "soft-eye"],
      ["worker", "maker"],
    ]);
    expect(new Set(requests.map(({ agent_id }) => agent_id)).size).toBe(3);
    expect(await workspace.runtime.verifySession(result.session_id as SessionId)).toMatchObject({
      ok: true,
      violations: [],
    });
  });

  test("replay gives back cycle, phase, verdict and the phases visited", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        maker,
        { when: { persona: "sharp-eye", call: 1 }, respond: findings(finding({ severity: "P1" })) },
        { when: { persona: "sharp-eye", call: 2 }, respond: findings() },
      ],
    });
    const result = await workspace.run("tidy");
    expect(result, result.error ?? "").toMatchObject({ verdict: "done" });
    const { log, schemas } = workspace.runtime;
    const folded = await replay(result.session_id as SessionId, { reader: log, schemas });
    expect(folded.ok && folded.value.workflow).toEqual({
      cycle_id: "tidy",
      phase: null,
      verdict: "done",
      phases_visited: ["make", "look", "make", "look"],
    });
    const advanced = await workspace.told(result, "workflow.phase_advanced");
    expect(advanced.map(({ from_phase, to_phase, generation }) => [from_phase, to_phase, generation])).toEqual([
      ["make", "look", 1],
      ["look", "make", 1],
      ["make", "look", 2],
      ["look", null, 2],
    ]);
  });
});

describe("fail-closed", () => {
  test.each([
    ["a work order", (w: Awaited<ReturnType<typeof cycleWorkspace>>) => w.run("tdy")],
    ["an order without one", (w: Awaited<ReturnType<typeof cycleWorkspace>>) => w.order({ type: "cycle" })],
    ["a skill", (w: Awaited<ReturnType<typeof cycleWorkspace>>) => w.ask("do it", { skill: "lost" })],
    [
      "the lead's directive",
      (w: Awaited<ReturnType<typeof cycleWorkspace>>) => w.ask("follow the lead", { strategy: "plan-work-review" }),
    ],
  ])("an unknown cycle named by %s is WORKFLOW_UNKNOWN_ID", async (_, ask) => {
    await using workspace = await cycleWorkspace({
      rules: [
        {
          when: { role: "lead" },
          respond: { json: { intent: "x", constraints: [], cycle: "tdy", schema_version: "v1" } },
        },
      ],
      files: { "skills/lost/SKILL.md": "---\nname: lost\ndescription: x\ncycle: tdy\n---\n" },
    });
    expect(await ask(workspace)).toMatchObject({ error_code: "WORKFLOW_UNKNOWN_ID" });
  });

  test("a definition with a problem stops the cycles that need it, with file and line, and no other", async () => {
    const needing = (phase: string) =>
      `---\nid: needs-${phase}\nphases: [${phase}]\nentry_phase: ${phase}\nschema_version: v1\n---\n`;
    await using workspace = await cycleWorkspace({
      rules: [maker],
      files: {
        "workflows/phases/other.md": "---\nid: other\nadvance_signal: it looks good\nschema_version: v1\n---\n",
        "workflows/cycles/needs-other.md": needing("other"),
        "workflows/phases/sound.md":
          "---\nid: sound\nadvance_signal: output.lines > 0\nagents_invoked: [maker]\nschema_version: v1\n---\n",
        "workflows/cycles/needs-sound.md": needing("sound"),
      },
    });
    const refused = await workspace.order({ type: "cycle", cycle: "needs-other" });
    expect(refused).toMatchObject({
      status: "rejected",
      error_code: "WORKFLOW_INVALID",
      error: expect.stringContaining("workflows/phases/other.md:3"),
    });
    const started = await workspace.run("needs-sound");
    expect(started.error_code).not.toBe("WORKFLOW_INVALID");
    expect(await workspace.told(started, "workflow.started")).toHaveLength(1);
  });

  test("a signal that cannot be evaluated denies, and is an event", async () => {
    await using workspace = await cycleWorkspace({
      rules: [maker],
      files: {
        "workflows/cycles/lost.md":
          "---\nid: lost\nphases: [lost-make]\nentry_phase: lost-make\nschema_version: v1\n---\n",
        "workflows/phases/lost-make.md":
          "---\nid: lost-make\nadvance_signal: output.lines > 3\nagents_invoked: [maker]\nschema_version: v1\n---\n",
      },
    });
    const result = await workspace.run("lost");
    expect(result).toMatchObject({ verdict: "halted", error_code: "WORKFLOW_HALTED" });
    expect(await workspace.told(result, "workflow.signal_failed")).toMatchObject([
      { signal: "phases/lost-make advance_signal", expression: "output.lines > 3" },
    ]);
    expect(await workspace.told(result, "workflow.completed")).toMatchObject([{ verdict: "halted" }]);
  });

  test("a persona that has to be there and does not answer lets nothing pass; an optional one may be missing", async () => {
    const broken = { respond: { text: "no JSON" } };
    await using workspace = await cycleWorkspace({
      rules: [
        maker,
        { when: { persona: "soft-eye" }, ...broken },
        { when: { persona: "sharp-eye", prompt: "broken" }, ...broken },
      ],
    });
    const fine = await workspace.run("tidy", { prompt: "optional" });
    expect(fine, fine.error ?? "").toMatchObject({ verdict: "done" });
    const [, looked] = await workspace.told(fine, "workflow.judged");
    expect(looked?.aggregate?.coverage).toMatchObject({
      expected: ["sharp-eye", "soft-eye"],
      reported: ["sharp-eye"],
      missing: ["soft-eye"],
    });

    const lacking = await workspace.run("tidy", { prompt: "broken" });
    expect(lacking).toMatchObject({ verdict: "halted", error: expect.stringContaining("no answer from sharp-eye") });
  });
});

describe("a cycle is named", () => {
  test("by a skill's frontmatter and by the lead's directive", async () => {
    await using workspace = await cycleWorkspace({
      rules: [
        maker,
        {
          when: { role: "lead" },
          respond: { json: { intent: "tidy", constraints: [], cycle: "tidy", schema_version: "v1" } },
        },
      ],
      files: {
        "skills/tidy-up/SKILL.md":
          "---\nname: tidy-up\ndescription: Tidies\ntriggers: [tidy up]\nallowed-tools: [fs.write]\ncycle: tidy\n---\n",
      },
    });
    const bySkill = await workspace.ask("please tidy up", {});
    expect(bySkill, bySkill.error ?? "").toMatchObject({ status: "success", verdict: "done" });
    expect(await workspace.told(bySkill, "lead.directive")).toEqual([]);

    const byLead = await workspace.ask("make order", {
      skill: "write-note",
      allow: ["output/**"],
      strategy: "plan-work-review",
    });
    expect(await workspace.told(byLead, "lead.directive")).toHaveLength(1);
    expect(byLead, byLead.error ?? "").toMatchObject({ verdict: "done" });
    expect(await workspace.told(byLead, "workflow.started")).toMatchObject([{ cycle_id: "tidy" }]);
    expect(await workspace.runtime.verifySession(byLead.session_id as SessionId)).toMatchObject({ ok: true });
  });
});

describe("hooks", () => {
  const hook = (point: string, answer: string) => ({
    config: { hooks: { [point]: [{ hooks: [{ type: "module", module: "hooks/h.js" }] }] } },
    files: { "hooks/h.js": `export default (input) => (${answer});` },
  });

  test("WorkflowStart may refuse a cycle, or give it another mode", async () => {
    await using refused = await cycleWorkspace({
      rules: [maker],
      ...hook("WorkflowStart", `{ decision: "deny", reason: "not today" }`),
    });
    const result = await refused.run("tidy");
    expect(result).toMatchObject({
      status: "rejected",
      error_code: "GATE_DENIED",
      error: expect.stringContaining("not today"),
    });
    expect(await refused.told(result, "workflow.started")).toEqual([]);

    await using changed = await cycleWorkspace({
      rules: [maker],
      ...hook("WorkflowStart", `{ decision: "transform", output: { ...input, mode: "headless" } }`),
    });
    expect(await changed.told(await changed.run("tidy"), "workflow.started")).toMatchObject([{ mode: "headless" }]);
  });

  test("PhaseAdvance may refuse a step, or send the cycle elsewhere within itself", async () => {
    await using refused = await cycleWorkspace({
      rules: [maker],
      ...hook(
        "PhaseAdvance",
        `input.to_phase === "look" ? { decision: "deny", reason: "not yet" } : { decision: "allow" }`,
      ),
    });
    const result = await refused.run("tidy");
    expect(result).toMatchObject({ verdict: "abort", error_code: "GATE_DENIED" });
    expect(await refused.told(result, "workflow.aborted")).toMatchObject([
      { cycle_id: "tidy", code: "GATE_DENIED", phase: "make" },
    ]);

    await using sent = await cycleWorkspace({
      rules: [maker],
      ...hook(
        "PhaseAdvance",
        `input.to_phase === "look" ? { decision: "transform", output: { ...input, to_phase: null } } : { decision: "allow" }`,
      ),
    });
    const early = await sent.run("tidy");
    expect(early).toMatchObject({ verdict: "done" });
    expect(await sent.told(early, "workflow.completed")).toMatchObject([{ phases_visited: ["make"] }]);
  });

  test("WorkflowComplete hears of the verdict, and cannot change it", async () => {
    await using workspace = await cycleWorkspace({
      rules: [maker],
      ...hook("WorkflowComplete", `{ decision: "deny", reason: "no" }`),
    });
    const result = await workspace.run("tidy");
    expect(result).toMatchObject({ status: "success", verdict: "done" });
    const fired = await workspace.told(result, "hook.fired");
    expect(fired.filter(({ point }) => point === "WorkflowComplete")).toMatchObject([
      { decision: "deny", subject: "tidy" },
    ]);
  });
});

test("a subagent file of another tool speaks as a persona, with the tools that it names and none else", async () => {
  await using workspace = await cycleWorkspace({
    rules: [
      maker,
      { when: { persona: "sharp-eye" }, respond: findings() },
      {
        when: { persona: "perf-auditor", call: 1 },
        respond: { tool_calls: [{ name: "fs.read", args: { path: "a.ts" } }] },
      },
      { when: { persona: "perf-auditor" }, respond: findings(finding({ title: "Slow" })) },
    ],
    files: {
      ".claude/agents/perf-auditor.md":
        "---\nname: perf-auditor\ndescription: Audits performance\ntools: Read\nmodel: sonnet\n---\nLook for loops.\n",
      "workflows/phases/look.md": `---
id: look
advance_signal: review_aggregate.findings.exists(each, each.reviewer == 'perf-auditor')
agents_invoked: [sharp-eye, perf-auditor]
schema_version: v1
---
Is it fast?
`,
      "a.ts": "for (;;) {}\n",
    },
  });
  const result = await workspace.run("tidy");
  expect(result, result.error ?? "").toMatchObject({ verdict: "done" });
  const asked = (await workspace.told(result, "workflow.fanned_out")).at(-1)?.personas;
  expect(asked?.find(({ persona }) => persona === "perf-auditor")).toMatchObject({
    role: "reviewer",
    tools: ["fs.read"],
  });
  expect((await workspace.told(result, "tool.invoke")).map(({ name }) => name)).toEqual(["fs.read"]);
});
