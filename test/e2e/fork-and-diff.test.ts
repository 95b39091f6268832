// Forks: a linked session with its parent's answers up to a point, then its own way. No connection is needed for the past.

import { describe, expect, test } from "vitest";
import { isSessionId, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import type { FlowResult } from "#work";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

async function greeted(workspace: TestWorkspace): Promise<{ id: SessionId; events: Event[] }> {
  const { session_id } = await workspace.ask("greet Ada");
  if (session_id == null || !isSessionId(session_id)) throw new Error("no session");
  return { id: session_id, events: await workspace.events(session_id) };
}

const responsesOf = (events: readonly Event[]) =>
  events.filter((event) => event.type === "llm.response").map(({ payload }) => payload);

async function forked(
  workspace: TestWorkspace,
  id: SessionId,
  wanted: Parameters<TestWorkspace["runtime"]["forkSession"]>[1],
): Promise<{ result: FlowResult; events: Event[] }> {
  const result = await workspace.runtime.forkSession(id, wanted);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return { result: result.value, events: await workspace.events(result.value.session_id) };
}

describe("fork", () => {
  test("of a session whose events were emptied is refused as damage", async () => {
    await using workspace = await testWorkspace();
    const { id } = await greeted(workspace);
    await workspace.reopen();
    await workspace.write(`planes/ho1/sessions/${id}/.events.jsonl`, "");
    expect(await workspace.runtime.forkSession(id, { at: 5 })).toMatchObject({ error: { code: "LEDGER_CORRUPT" } });
  });

  test("at the end asks nobody again, names its parent, costs nothing and verifies", async () => {
    await using workspace = await testWorkspace();
    const { id, events } = await greeted(workspace);
    const parent = events.at(-1) as Event;
    await workspace.write(
      "writ.yaml",
      "version: 1\nprovider: openai-compatible\nmodel: m\nbase_url: http://127.0.0.1:9/v1\n",
    );
    await workspace.reopen(); // behind that address is nobody: whatever asks a model now fails
    const fork = await forked(workspace, id, { at: parent.seq });
    expect(fork.result).toMatchObject({ status: "success", tokens_used: { input: 0, output: 0 } });
    expect(fork.events[0]?.payload).toMatchObject({
      parent_session_id: id,
      parent_kind: "fork",
      parent_seq: parent.seq,
      parent_hash: parent.hash,
    });
    expect(responsesOf(fork.events).map(({ text }) => text)).toEqual(responsesOf(events).map(({ text }) => text));
    expect(responsesOf(fork.events).every(({ attempts }) => attempts === 0)).toBe(true);
    const checked = await workspace.runtime.verifySession(fork.result.session_id as SessionId);
    expect(checked.violations).toEqual([]);
  });

  test("in the middle goes on with another profile from there", async () => {
    await using workspace = await testWorkspace({
      config: { profiles: { other: { provider: "scripted", script: "other.yaml" } } },
      files: {
        "other.yaml":
          "rules:\n  - when: { role: reviewer }\n    respond: { json: { verdict: pass, feedback: from the other one, schema_version: v1 } }\n",
      },
    });
    const { id, events } = await greeted(workspace);
    const report = events.find(({ type }) => type === "worker.report") as Event;
    const fork = await forked(workspace, id, { at: report.seq, profile: "other" });
    expect(fork.result.status).toBe("success");
    const responses = responsesOf(fork.events);
    expect(responses.at(-1)).toMatchObject({ role: "reviewer" });
    expect(responses.at(-1)?.text).toContain("from the other one");
    expect(responses.slice(0, -1).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(responses.at(-1)?.attempts).not.toBe(0);
  });

  test("from any event comes to the parent's end, and verifies", async () => {
    await using workspace = await testWorkspace();
    const { id, events } = await greeted(workspace);
    for (let at = 1; at <= events.length; at += process.env["WRIT_CAMPAIGN"] ? 1 : 7) {
      const fork = await forked(workspace, id, { at });
      expect(fork.result, `at ${at}`).toMatchObject({ status: "success", response: "Hello, Ada" });
      const checked = await workspace.runtime.verifySession(fork.result.session_id as SessionId);
      expect(checked.violations, `at ${at}`).toEqual([]);
    }
  });

  test("with an edited message goes on from what the model is taken to have said", async () => {
    await using workspace = await testWorkspace();
    const { id, events } = await greeted(workspace);
    const last = events.findLast((event) => event.type === "llm.response" && event.payload.role === "worker") as Event;
    const edit = JSON.stringify({ output: "Hello, Eve", steps_completed: stepsOf(events), schema_version: "v1" });
    const fork = await forked(workspace, id, { at: last.seq, edit });
    expect(fork.result).toMatchObject({ status: "success", response: "Hello, Eve" });
    const start = events[0] as Event;
    expect(await workspace.runtime.forkSession(id, { at: start.seq, edit })).toMatchObject({
      ok: false,
      error: { code: "MALFORMED_INPUT" },
    });
  });
});

describe("a fork of a session whose gates spoke", () => {
  const echo = (call: number, text: string) => ({
    when: { role: "worker", call },
    respond: { tool_calls: [{ name: "echo", args: { text } }] },
  });
  const report = (call: number) => ({
    when: { role: "worker", call },
    respond: { json: { output: "Hello, Ada", steps_completed: ["s1"], schema_version: "v1" } },
  });
  const violationsOf = async (workspace: TestWorkspace, session_id: unknown) =>
    (await workspace.runtime.verifySession(session_id as SessionId)).violations;

  test("verifies when a call was denied before the same tool was allowed", async () => {
    const guard = `export default ({ args }) => args.text === "no" ? { decision: "deny", reason: "not that" } : { decision: "allow" };`;
    await using workspace = await testWorkspace({
      rules: [echo(1, "no"), echo(2, "Hello, Ada"), report(3)],
      config: { hooks: { PreToolUse: [{ hooks: [{ type: "module", module: "hooks/guard.mjs" }] }] } },
      files: { "hooks/guard.mjs": guard },
    });
    const { id, events } = await greeted(workspace);
    expect(await violationsOf(workspace, id)).toEqual([]);
    const fork = await forked(workspace, id, { at: events.length });
    expect(fork.result).toMatchObject({ status: "success", response: "Hello, Ada" });
    expect(await violationsOf(workspace, fork.result.session_id)).toEqual([]);
  });

  test("verifies when a person had allowed the call, and takes their word along", async () => {
    await using workspace = await testWorkspace({
      rules: [echo(1, "Hello, Ada"), report(2)],
      config: { hooks: { PreToolUse: [{ hooks: [{ type: "module", module: "hooks/ask.mjs" }] }] } },
      files: { "hooks/ask.mjs": `export default () => ({ decision: "ask", reason: "sure?" });` },
    });
    const waiting = await workspace.ask("greet Ada");
    expect(waiting).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
    const { inbox, decisions } = workspace.runtime;
    const [question] = must(await inbox.list({ state: "open", limit: 10 }));
    const { approval_id = "", subject_hash = "" } = question ?? {};
    const choice = { choice: "approve", subject_hash, reason: "fine" };
    must(await decisions.decide(must(workspace.runtime.localCaller()), approval_id, choice));
    const id = waiting.session_id as SessionId;
    expect(must(await workspace.runtime.resumeSession(id))).toMatchObject({ status: "success" });
    expect(await violationsOf(workspace, id)).toEqual([]);
    const fork = await forked(workspace, id, { at: (await workspace.events(id)).length });
    expect(fork.result).toMatchObject({ status: "success", response: "Hello, Ada" });
    expect(await violationsOf(workspace, fork.result.session_id)).toEqual([]);
  });
});

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function stepsOf(events: readonly Event[]): string[] {
  const plan = events.find((event) => event.type === "plan.made");
  return plan?.payload.plan.steps.map(({ id }) => id) ?? [];
}
