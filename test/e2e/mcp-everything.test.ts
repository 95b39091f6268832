// The reference server of the protocol with all that it has, through Writ: tools of every kind of content, progress, tasks and
// questions of revision 2025-11-25, resources and prompts as context.
import { afterAll, beforeAll, expect, test } from "vitest";
import { npmServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const template = `template_id: ATT-GENERAL-001
version: "9.0.0"
applies_to: { framework_id: [FMWK-005] }
pipeline:
  - { type: custom, name: text, handler: mcp, config: { server: all, resource: "demo://resource/dynamic/text/1" } }
  - { type: custom, name: prompt, handler: mcp, config: { server: all, prompt: args-prompt, arguments: { city: Rome } } }
on_empty: proceed
`;

let workspace: TestWorkspace;
beforeAll(async () => {
  const all = { command: process.execPath, args: [npmServer("everything")], rights: { tier: "T1" } };
  workspace = await testWorkspace({
    config: { mcp: { servers: { all } } },
    files: { "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml": template },
    rules: [{ respond: { text: "It is so." } }],
  });
  expect((await workspace.runtime.packages.adopt()).ok).toBe(true);
  const [survey] = await workspace.runtime.approvals.survey(AbortSignal.timeout(30_000));
  const approved = await workspace.runtime.approvals.approve(survey?.tools ?? []);
  if (!approved.ok) throw new Error(approved.error.message);
  await workspace.reopen();
});
afterAll(() => workspace[Symbol.asyncDispose]());

async function call(tool: string, args: object = {}) {
  const order = await workspace.runtime.writeToolOrder(`all.${tool}`, args as never);
  if (!order.ok) throw new Error(order.error.message);
  const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
  return workspace.runtime.runFlow(request, { fresh: true });
}

async function decide(choice: string, more: object = {}) {
  const { inbox, decisions } = workspace.runtime;
  const open = await inbox.list({ state: "open", limit: 5 });
  const by = workspace.runtime.localCaller();
  const [asked] = open.ok ? open.value : [];
  if (!asked || !by.ok) throw new Error("a person was not asked");
  const input = { choice, subject_hash: asked.subject_hash, reason: "", ...more };
  expect(await decisions.decide(by.value, asked.approval_id, input)).toMatchObject({ ok: true });
}

test("each tool gives what it gives: text, numbers, structured content, pictures, links, embedded resources", async () => {
  const said: readonly (readonly [tool: string, args: object, words: string])[] = [
    ["echo", { message: "hello" }, "hello"],
    ["get-sum", { a: 2, b: 3 }, "5"],
    ["get-structured-content", { location: "Chicago" }, "temperature"],
    ["get-tiny-image", {}, "image/png"],
    ["get-annotated-message", { messageType: "error", includeImage: false }, "priority"],
    ["get-resource-links", { count: 2 }, "resource_link"],
    ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, "demo://resource"],
    ["trigger-long-running-operation", { duration: 1, steps: 2 }, "completed"],
  ];
  for (const [tool, args, words] of said) {
    const done = await call(tool, args);
    expect([tool, done.status, done.error]).toEqual([tool, "success", null]);
    expect(done.response).toContain(words);
  }
});

test("a tool that is always a task is waited for", async () => {
  const done = await call("simulate-research-query", { topic: "lamps" });
  expect(done).toMatchObject({ status: "success", response: expect.stringContaining("Research Report: lamps") });
});

test("a task that asks stops the order until a person has answered; what it had done is a person's to say", async () => {
  const asking = await call("simulate-research-query", { topic: "python", ambiguous: true });
  expect(asking).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  await decide("answer", { result: { interpretation: "snake" } });
  expect(await workspace.runtime.resumeSession(asking.session_id as never)).toMatchObject({
    value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" },
  });
  await decide("not_done");
  const done = await workspace.runtime.resumeSession(asking.session_id as never);
  expect(JSON.stringify(done)).toContain("python (snake)");
});

test("its resources and prompts are context, untrusted", async () => {
  const result = await workspace.order({ input: { prompt: "lamps" }, type: "solo" });
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "attention.assembled")?.payload).toMatchObject({
    fragments: [
      { origin: "mcp:all#demo://resource/dynamic/text/1", trust: "untrusted" },
      { origin: "mcp:all#prompt args-prompt args-prompt", trust: "untrusted" },
    ],
  });
});
