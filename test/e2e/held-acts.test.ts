// Acts whose values are in doubt wait, and a person is asked about all of them at once: when the agent has done what it can.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import type { SessionId } from "#core/values";
import type { Approval } from "#people";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const framework_id = "FMWK-POST";
const manifest = {
  framework_id,
  title: "Letters of one person",
  version: "1.0.0",
  status: "active",
  ring: "resident",
  plane_id: "ho1",
  agent_classes: ["RESIDENT"],
  default_agent_class: "RESIDENT",
  path_authorizations: [],
  required_gates: [],
  expected_specs: ["SPEC-POST-001"],
  values: {
    pack: "standard",
    tools: {
      "post.send": {
        args: { to: { sink: "reach", kind: "mail" }, subject: { sink: "label" }, body: { sink: "content" } },
      },
    },
  },
  schema_version: "v2",
};
const files = {
  "skills/post/SKILL.md": `---\n${stringify({ name: "post", description: "Does what is asked.", strategy: "solo" })}---\nDo it.\n`,
  [`frameworks/${framework_id}/manifest.yaml`]: stringify(manifest),
  "registries/frameworks_registry.csv": `framework_id,title,status,version,plane_id,path\n${framework_id},Post,active,1.0.0,ho1,frameworks/${framework_id}\n`,
  "registries/specs_registry.csv": `spec_id,title,framework_id,status,version\nSPEC-POST-001,Post,${framework_id},active,1.0.0\n`,
};
const usage = { input_tokens: 10, output_tokens: 10 };
const bob = "bob@b.example";
const cleo = "cleo@c.example";

/** A server whose mailbox holds one mail, and which keeps what was sent. It may say what it thinks of its own results. */
async function post(_meta: Record<string, unknown>) {
  const sent: string[] = [];
  const make = () => {
    const server = new McpServer({ name: "post", version: "1" }, { capabilities: { tools: {} } });
    const text = { type: "string" } as const;
    server.registerTool(
      "read",
      {
        description: "Reads a mail",
        inputSchema: fromJsonSchema({ type: "object", properties: { subject: text } }),
        annotations: { readOnlyHint: true },
      },
      () => ({ content: [{ type: "text", text: `Hello,\nplease tell ${bob} and ${cleo} when we meet.` }], _meta }),
    );
    server.registerTool(
      "send",
      {
        description: "Sends a mail",
        inputSchema: fromJsonSchema<{ to: string; subject: string }>({
          type: "object",
          properties: { to: text, subject: text, body: text },
        }),
      },
      ({ to, subject }) => {
        sent.push(`${to}: ${subject}`);
        return { content: [{ type: "text", text: `sent to ${to}` }] };
      },
    );
    return server;
  };
  const handle = toNodeHandler(createMcpHandler(make));
  const http = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void http.close(() => resolve())));
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, sent };
}

const call = (name: string, args: object) => ({ tool_calls: [{ name: `post.${name}`, args }], usage });
const send = (to: string, subject = "meeting") => call("send", { to, subject, body: "At seven." });
const says = { text: "done", usage };

async function place(answers: readonly object[], meta: Record<string, unknown> = {}) {
  return placeWith(
    answers.map((respond, index) => ({ when: { role: "solo", call: index + 1 }, respond })),
    meta,
  );
}

async function placeWith(rules: readonly object[], meta: Record<string, unknown> = {}, own: typeof files | {} = files) {
  const server = await post(meta);
  const workspace = await testWorkspace({
    rules,
    files: own,
    config: {
      mcp: { servers: { post: { url: server.url } } },
      v2_features: { multi_step_enabled: true, delegation_enabled: true },
    },
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const surveys = await workspace.runtime.approvals.survey(new AbortController().signal, ["post"]);
  const approved = await workspace.runtime.approvals.approve(surveys.flatMap((each) => each.tools));
  expect(approved).toMatchObject({ ok: true });
  await workspace.reopen();
  const order = {
    type: "solo",
    skill: "post",
    framework_id,
    spec_id: "SPEC-POST-001",
    input: { prompt: "Read the mail about the meeting and answer who has to know. Subject: meeting" },
    tool_permissions: ["post.*"],
    budget: { token_limit: 60_000, turn_limit: 50, timeout_seconds: 120 },
  };
  return { workspace, sent: server.sent, order };
}

async function open({ runtime }: TestWorkspace): Promise<readonly Approval[]> {
  const found = await runtime.inbox.list({ limit: 10, state: "open" });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

/** A person answers the only question there is, and the session goes on. */
async function answer(workspace: TestWorkspace, session_id: string | null | undefined, choice: string, reason = "") {
  const { runtime } = workspace;
  const [asked, ...others] = await open(workspace);
  expect(others).toEqual([]);
  const by = runtime.localCaller();
  if (!asked || !by.ok) throw new Error("nothing is asked");
  const { approval_id, subject_hash } = asked;
  const decided = await runtime.decisions.decide(by.value, approval_id, { choice, subject_hash, reason });
  expect(decided).toMatchObject({ ok: true });
  const resumed = await runtime.resumeSession(session_id as SessionId);
  if (!resumed.ok) throw new Error(resumed.error.message);
  expect(await runtime.verifySession(session_id as SessionId)).toMatchObject({ ok: true, violations: [] });
  return resumed.value;
}

const read = call("read", { subject: "meeting" });

test("two acts of two turns are one question, with the line in which each value stands; some may be allowed", async () => {
  const { workspace, sent, order } = await place([read, send(bob), send(cleo), says, says]);
  const waiting = await workspace.order(order);
  expect([waiting.status, sent]).toEqual(["waiting", []]);
  const [asked] = await open(workspace);
  expect(asked).toMatchObject({
    kind: "held_acts",
    title: expect.stringMatching(/^2 acts: /),
    choices: ["approve", "approve_values", "some", "deny"],
  });
  expect(asked?.reason).toContain(`1. post.send: to "${bob}" (from the text of post.read, which you named): `);
  expect(asked?.reason).toContain(`     > please tell ${bob} and ${cleo} when we meet.`);
  await workspace.reopen(); // another process goes on
  const result = await answer(workspace, waiting.session_id, "some", "2");
  expect(sent).toEqual([`${cleo}: meeting`]);
  expect(result).toMatchObject({
    status: "partial",
    error: expect.stringContaining("post.send (refused: GATE_DENIED)"),
  });
  const requests = (await workspace.events(waiting.session_id)).filter(({ type }) => type === "llm.request");
  expect(requests).toHaveLength(5);
  expect(JSON.stringify(requests.at(-1)?.payload)).toContain("A person has decided about what waited");
});

test("a value that is allowed for the order is not asked about again; an act that was allowed is, once it has happened", async () => {
  const once = await place([read, send(bob), says, send(bob, "the meeting"), says, says]);
  const first = await once.workspace.order(once.order);
  expect(await answer(once.workspace, first.session_id, "approve")).toMatchObject({ status: "waiting" });
  const kept = await place([read, send(bob), says, send(bob, "the meeting"), says]);
  const second = await kept.workspace.order(kept.order);
  expect(await answer(kept.workspace, second.session_id, "approve_values")).toMatchObject({ status: "success" });
  expect(kept.sent).toEqual([`${bob}: meeting`, `${bob}: the meeting`]);
  const labels = (await kept.workspace.events(second.session_id)).flatMap((event) =>
    event.type === "tool.invoke" && event.payload.values ? [event.payload.values.at(-1)?.from] : [],
  );
  expect(labels).toEqual([
    ["approved", "text.named"],
    ["approved", "text.named", "text"],
  ]);
});

test("acts of a worker wait too, and are asked about together", async () => {
  const rules = [read, send(bob), send(cleo), says, says].map((respond, at) => ({
    when: { role: "worker", call: at + 1 },
    respond,
  }));
  const { workspace, sent, order } = await placeWith(rules, {}, {});
  const under = { framework_id: "FMWK-005", spec_id: "SPEC-ORCHESTRATION-001" };
  const waiting = await workspace.order({ ...order, ...under, type: "answer", skill: undefined });
  expect([waiting.status, waiting.error, sent]).toMatchObject(["waiting", expect.stringContaining("2 acts"), []]);
  expect(await open(workspace)).toMatchObject([{ kind: "held_acts", title: expect.stringMatching(/^2 acts: /) }]);
  await workspace.reopen();
  expect(await answer(workspace, waiting.session_id, "approve")).toMatchObject({ status: "success" });
  expect(sent).toEqual([`${bob}: meeting`, `${cleo}: meeting`]);
});

test("an act that the agent asks for again is one that it cannot go on without: the question comes at once", async () => {
  const { workspace, order } = await place([read, send(bob), send(bob), says]);
  const waiting = await workspace.order(order);
  expect(waiting.status).toBe("waiting");
  const requests = (await workspace.events(waiting.session_id)).filter(({ type }) => type === "llm.request");
  expect(requests).toHaveLength(3);
  expect(await answer(workspace, waiting.session_id, "deny", "not them")).toMatchObject({ status: "partial" });
});

test("a result that its server does not vouch for is no one's choice: what stands in it is refused, not asked", async () => {
  const { workspace, order } = await place([read, send(bob), says], { ifc: { integrity: "untrusted" } });
  const result = await workspace.order(order);
  expect(result).toMatchObject({
    status: "partial",
    error: expect.stringContaining("post.send (refused: POLICY_DENIED)"),
  });
  const events = await workspace.events(result.session_id);
  const results = events.flatMap((event) => (event.type === "tool.result" ? [event.payload.lowered] : []));
  expect(results).toEqual([true]);
});

test("acts of an order below wait there, and both records verify once they are decided", async () => {
  const tasks = [{ prompt: "Write to whoever has to know", tools: ["post.read", "post.send"] }];
  const below = [read, send(bob), says, says];
  const { workspace, sent, order } = await placeWith([
    { when: { prompt: "^Read", call: 1 }, respond: { tool_calls: [{ name: "delegate", args: { tasks } }], usage } },
    ...below.map((respond, index) => ({ when: { role: "solo", prompt: "^Write", call: index + 1 }, respond })),
    { when: { role: "reviewer" }, respond: { json: { verdict: "pass", feedback: "", schema_version: "v1" }, usage } },
    { respond: says },
  ]);
  const more = { tool_permissions: ["post.*", "delegate"], delegation: { max_depth: 1 }, schema_version: "v2" };
  const waiting = await workspace.order({ ...order, ...more });
  expect([waiting.status, sent]).toEqual(["waiting", []]);
  await workspace.reopen();
  expect(await answer(workspace, waiting.session_id, "approve")).toMatchObject({ status: "success" });
  expect(sent).toEqual([`${bob}: meeting`]);
  const child = (await workspace.events(waiting.session_id)).flatMap((event) =>
    event.type === "delegation.made" ? [event.payload.child_session_id] : [],
  );
  expect(await workspace.runtime.verifySession(child[0] as SessionId)).toMatchObject({ ok: true, violations: [] });
});
