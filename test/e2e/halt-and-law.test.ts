// The kill switch, and the law that a stopped session finishes under.

import { describe, expect, test } from "vitest";
import { isSessionId, type SessionId, sleep, systemClock } from "#core/values";
import type { FlowResult } from "#work";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

/** The worker's first answer takes so long that only a halt ends it. */
const slow = [{ when: { role: "worker", call: 1 }, respond: { delay_ms: 60_000, text: "never" } }];

async function haltedInTheMiddle(workspace: TestWorkspace, scope: "session" | "workspace" = "session") {
  let session_id: SessionId | undefined;
  let asked = () => {};
  const working = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const running = workspace.ask("greet Ada", {
    onEvent: (event) => {
      session_id = event.session_id as SessionId;
      if (event.type === "llm.request" && event.payload.role === "worker") asked();
    },
  });
  await working;
  const halted = await workspace.runtime.halt(scope === "session" ? (session_id as SessionId) : null, "it smells");
  expect(halted.ok).toBe(true);
  const result = await running;
  return { result, session_id: session_id as SessionId };
}

/** The session that waits for a model, and the one that it acts for. */
async function theSlowChild(workspace: TestWorkspace): Promise<[SessionId, SessionId]> {
  for (;;) {
    for await (const info of workspace.runtime.log.list()) {
      if (!info.ok || info.value.tier !== "ho1" || info.value.closed) continue;
      const events = await workspace.events(info.value.session_id);
      const asked = events.some(({ type }) => type === "llm.request");
      const answered = events.some(({ type }) => type === "llm.response");
      if (asked && !answered && info.value.parent_session_id !== null)
        return [info.value.parent_session_id as SessionId, info.value.session_id];
    }
    await sleep(systemClock, 20);
  }
}

async function resumed(workspace: TestWorkspace, session_id: SessionId): Promise<FlowResult> {
  const result = await workspace.runtime.resumeSession(session_id);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

describe("halt", () => {
  test("cancels the running call of a session, and says so in the log without closing it", async () => {
    await using workspace = await testWorkspace({ rules: slow });
    const { result, session_id } = await haltedInTheMiddle(workspace);
    expect(result).toMatchObject({ status: "canceled", error_code: "HALTED" });
    expect(result.error).toContain("it smells");
    const events = await workspace.events(session_id);
    expect(events.at(-1)).toMatchObject({ type: "session.halted", payload: { reason: "it smells", scope: "session" } });
  });

  test("of everything lets nothing new start and nothing resume until it is lifted; then the session goes on", async () => {
    await using workspace = await testWorkspace({ rules: slow });
    const { session_id } = await haltedInTheMiddle(workspace, "workspace");
    expect(await workspace.ask("greet Bob")).toMatchObject({ status: "rejected", error_code: "HALTED" });
    expect(await workspace.runtime.resumeSession(session_id)).toMatchObject({ ok: false, error: { code: "HALTED" } });
    expect(await workspace.runtime.liftHalt()).toEqual({ ok: true, value: 1 });
    await workspace.write("script.yaml", "rules: []\n");
    await workspace.reopen();
    const result = await resumed(workspace, session_id);
    expect(result).toMatchObject({ status: "success", session_id });
    expect(result.response).toContain("Ada");
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
    const types = (await workspace.events(session_id)).map(({ type }) => type);
    expect(types.filter((type) => type === "session.halted" || type === "session.resumed")).toEqual([
      "session.halted",
      "session.resumed",
    ]);
    // The lead and the planner had answered: they were not asked again.
    expect(types.filter((type) => type === "lead.directive" || type === "plan.made").length).toBe(2);
  });

  test("of a session reaches what it handed down; taken up again, it takes its children up too", async () => {
    const parts = (apples: object) => [
      { when: { prompt: "^apples$" }, respond: apples },
      { when: { prompt: "^pears$" }, respond: { text: "about pears" } },
      { when: { prompt: "compare", call: 1 }, respond: { json: { tasks: ["apples", "pears"] } } },
      { when: { prompt: "compare", call: 2 }, respond: { text: "compared" } },
    ];
    await using workspace = await testWorkspace({
      rules: parts({ delay_ms: 60_000, text: "never" }),
      config: { v2_features: { multi_step_enabled: true, delegation_enabled: true } },
    });
    const running = workspace.order({
      type: "decompose",
      plane_id: "ho2",
      input: { prompt: "compare" },
      budget: { token_limit: 40_000, turn_limit: 10, timeout_seconds: 60 },
    });
    const [parent, child] = await theSlowChild(workspace);
    expect((await workspace.runtime.halt(parent, "it smells")).ok).toBe(true);
    expect(await running).toMatchObject({ status: "canceled", error_code: "HALTED" });
    expect((await workspace.events(child)).at(-1)).toMatchObject({ type: "session.halted" });
    expect(await workspace.runtime.liftHalt()).toMatchObject({ ok: true });
    await workspace.write("script.yaml", JSON.stringify({ rules: parts({ text: "about apples" }) }));
    await workspace.reopen();
    expect(await resumed(workspace, parent)).toMatchObject({ status: "success", response: "compared" });
    expect((await workspace.events(child)).at(-1)).toMatchObject({ type: "session.close", payload: { ok: true } });
  });

  test("a session that has ended is not resumed", async () => {
    await using workspace = await testWorkspace();
    const { session_id } = await workspace.ask("greet Ada");
    if (session_id == null || !isSessionId(session_id)) throw new Error("no session");
    expect(await workspace.runtime.resumeSession(session_id)).toMatchObject({
      ok: false,
      error: { code: "SESSION_CLOSED" },
    });
  });
});

describe("pinned law", () => {
  test("a role prompt that was edited meanwhile is not used: the session finishes under the one it began with", async () => {
    await using workspace = await testWorkspace({
      rules: slow,
      files: { "agents/reviewer.md": "You review, as of old." },
    });
    const { session_id } = await haltedInTheMiddle(workspace);
    await workspace.write("agents/reviewer.md", "You review, in a new way.");
    await workspace.write("script.yaml", "rules: []\n");
    await workspace.runtime.liftHalt();
    await workspace.reopen();
    expect(await resumed(workspace, session_id)).toMatchObject({ status: "success" });
    const reviewer = (await workspace.events(session_id))
      .filter((event) => event.type === "llm.request")
      .find(({ payload }) => payload.role === "reviewer");
    expect(reviewer?.payload.new_messages[0]?.content).toContain("as of old");
  });

  test("a skill under Claude Code's roof is kept like any other", async () => {
    const skill = (words: string) =>
      `---\nname: greet\ndescription: Greets.\ntriggers: [greet]\nallowed-tools: [echo]\nstrategy: plan-work-review\n---\n\n${words}\n`;
    const file = ".claude/skills/greet/SKILL.md";
    await using workspace = await testWorkspace({ rules: slow, files: { [file]: skill("Greet as of old.") } });
    const { session_id } = await haltedInTheMiddle(workspace);
    await workspace.write(file, skill("Greet in a new way."));
    await workspace.write("script.yaml", "rules: []\n");
    await workspace.runtime.liftHalt();
    await workspace.reopen();
    expect(await resumed(workspace, session_id)).toMatchObject({ status: "success" });
    const asked = (await workspace.events(session_id)).filter(({ type }) => type === "llm.request");
    expect(JSON.stringify(asked)).toContain("as of old");
    expect(JSON.stringify(asked)).not.toContain("in a new way");
  });

  test("a hook program that changed refuses the resume and names what it was and is", async () => {
    const config = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "hooks/check.sh", timeout: 5 }] }] } };
    await using workspace = await testWorkspace({
      rules: slow,
      config,
      files: { "hooks/check.sh": "#!/bin/sh\nexit 0\n" },
    });
    const { session_id } = await haltedInTheMiddle(workspace);
    await workspace.write("hooks/check.sh", "#!/bin/sh\n# now it looks the other way\nexit 0\n");
    await workspace.runtime.liftHalt();
    await workspace.reopen();
    const refused = await workspace.runtime.resumeSession(session_id);
    expect(refused).toMatchObject({ ok: false, error: { code: "LAW_CHANGED" } });
    expect(refused.ok ? "" : refused.error.message).toMatch(/hook PreToolUse:\S+ was [0-9a-f]{12}, now it is/);
    expect((await workspace.events(session_id)).at(-1)?.type).toBe("session.halted"); // nothing was written
  });
});
