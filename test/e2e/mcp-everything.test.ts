// The reference server of the protocol with all that it has, through Writ: tools of every kind of content, progress, tasks and
// questions of revision 2025-11-25, logs, resources with subscriptions, and prompts as context.
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
let offered: readonly string[];
beforeAll(async () => {
  const all = {
    command: process.execPath,
    args: [npmServer("everything")],
    rights: { tier: "T1" },
    log_level: "debug",
  };
  workspace = await testWorkspace({
    config: { mcp: { servers: { all } } },
    files: { "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml": template },
    rules: [{ respond: { text: "It is so." } }],
  });
  expect((await workspace.runtime.packages.adopt()).ok).toBe(true);
  const [survey] = await workspace.runtime.approvals.survey(AbortSignal.timeout(30_000));
  offered = (survey?.tools ?? []).map(({ name }) => name);
  const approved = await workspace.runtime.approvals.approve(survey?.tools ?? []);
  if (!approved.ok) throw new Error(approved.error.message);
  await workspace.reopen();
});
afterAll(() => workspace[Symbol.asyncDispose]());

const called = new Set<string>();

async function call(tool: string, args: object = {}) {
  const order = await workspace.runtime.writeToolOrder(`all.${tool}`, args as never);
  if (!order.ok) throw new Error(order.error.message);
  called.add(`all.${tool}`);
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
    ["get-env", {}, "{"],
    [
      "gzip-file-as-resource",
      { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
      "application/gzip",
    ],
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

test("what it asks with a form or an address is a question of the inbox", async () => {
  const form = await call("trigger-elicitation-request");
  expect(form).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  await decide("answer", { result: { name: "Ada", check: true } });
  expect(await workspace.runtime.resumeSession(form.session_id as never)).toMatchObject({
    value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" },
  });
  await decide("not_done");
  expect(JSON.stringify(await workspace.runtime.resumeSession(form.session_id as never))).toContain("Ada");
  const address = await call("trigger-url-elicitation", { url: "https://example.org/pay", elicitationId: "e1" });
  expect(address).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
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

test("what it logs during a call is recorded, and a resource is read again after it told of an update", async () => {
  const logging = await call("toggle-simulated-logging");
  const logs = (await workspace.events(logging.session_id)).filter(({ type }) => type === "tool.log");
  expect(logs[0]?.payload).toMatchObject({ server: "all", text: expect.stringContaining("message") });
  await call("toggle-simulated-logging");
  const [server] = workspace.runtime.mcp.servers;
  const read = async () => {
    const texts = await server?.readResource("demo://resource/dynamic/text/7", AbortSignal.timeout(30_000));
    return texts?.ok ? texts.value[0]?.text : texts;
  };
  const first = await read();
  expect(first).toContain("created at");
  const second = await read();
  expect(second).toBe(first);
  await call("toggle-subscriber-updates");
  await expect.poll(read, { timeout: 20_000 }).not.toBe(first);
  await call("toggle-subscriber-updates");
});

test("every tool that it offers was called here; what it offers to clients that lend it a model or folders, it does not offer", () => {
  expect([...called].toSorted()).toEqual(offered.toSorted());
  // A question needs no task of the client's: it waits in the inbox.
  expect(offered.join()).not.toMatch(/sampling|roots|async/);
});
