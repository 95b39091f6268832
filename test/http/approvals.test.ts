// A hook that asks: the session waits, a person decides about exactly those bytes, the session goes on.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInbox } from "#people";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { openSharedStore } from "../../src/operate/store/sqlite-shared-store.ts";
import { escapeHiddenCharacters } from "../../src/people/approvals/escape-hidden-characters.ts";
import { askPlainly } from "../support/plain-question.ts";
import { type TestServer, testServer } from "../support/server.ts";

const evil = "pay \u202Eelgoog\u202C now\u200B, аdmin"; // reversed, a zero-width space, a Cyrillic а
const tool = (text: string) => ({
  when: { role: "worker", call: 1, prompt: text },
  respond: { tool_calls: [{ name: "echo", args: { text } }] },
});
let api: TestServer;
const as = (key: string) => ({ authorization: `Bearer ${key}` });
let author: string;
let approver: string;
let viewer: string;

beforeAll(async () => {
  api = await testServer({
    keysOnly: true,
    rules: [
      tool("first"),
      tool("second"),
      tool("third"),
      tool("fourth"),
      { ...tool(evil), when: { role: "worker", call: 1, prompt: "evil" } },
      {
        when: { role: "worker", prompt: "poem" },
        respond: { json: { output: "Roses are red", steps_completed: ["s1"], schema_version: "v1" } },
      },
      {
        when: { role: "reviewer", prompt: "poem" },
        respond: { json: { verdict: "fail", feedback: "no rhyme", issues: [], schema_version: "v1" } },
      },
    ],
    files: { "hooks/ask.mjs": 'export default () => ({ decision: "ask", reason: "echo is loud" });\n' },
    config: {
      hooks: { PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/ask.mjs", id: "loud" }] }] },
      identity: {
        callers: {
          "ada@corp": { roles: ["operator", "approver"] },
          "bob@corp": { roles: ["approver"] },
          "eve@corp": { roles: ["viewer"] },
        },
      },
    },
  });
  const { runtime } = api.workspace;
  const admin = runtime.localCaller();
  if (!admin.ok) throw new Error(admin.error.message);
  const keyFor = async (caller_id: string) => {
    const made = await runtime.keys.create(admin.value, { caller_id });
    if (!made.ok) throw new Error(made.error.message);
    return made.value.key;
  };
  [author, approver, viewer] = [await keyFor("ada@corp"), await keyFor("bob@corp"), await keyFor("eve@corp")];
});
afterAll(() => api[Symbol.asyncDispose]());

async function waiting(prompt: string) {
  const done = await api.post("/api/v1/requests", { prompt, skill: "greet" }, { ...as(author), prefer: "wait=30" });
  expect(done).toMatchObject({ status: 200, json: { status: "waiting", error_code: "APPROVAL_PENDING" } });
  const { json } = await api.get(`/api/v1/approvals?session=${done.json.session_id}`, as(author));
  expect(json.approvals).toHaveLength(1);
  return { session: done.json.session_id as string, approval: json.approvals[0] };
}

async function ended(session: string): Promise<readonly { type: string; payload: Record<string, unknown> }[]> {
  const frames = await api.events(`/api/v1/sessions/${session}/stream`, 1000, as(viewer));
  return frames.filter(({ event }) => event === "event").map(({ data }) => data);
}

test("an approved call is made, with exactly the arguments that were shown, and the log says who allowed it", async () => {
  const { session, approval } = await waiting("first");
  expect(approval).toMatchObject({
    kind: "tool_call",
    state: "open",
    author: "ada@corp",
    reason: "echo is loud",
    subject: { tool: "echo", args: { text: "first" } },
  });
  const decision = { choice: "approve", subject_hash: approval.subject_hash, reason: "fine" };
  const decided = await api.post(`/api/v1/approvals/${approval.approval_id}/decision`, decision, as(approver));
  expect(decided).toMatchObject({ status: 200, json: { state: "approved", decided_by: "bob@corp" } });
  const events = await ended(session); // the server goes on with it by itself
  const types = events.map(({ type }) => type);
  expect(types.indexOf("approval.requested")).toBeLessThan(types.indexOf("approval.decided"));
  expect(types.indexOf("approval.decided")).toBeLessThan(types.indexOf("tool.invoke"));
  expect(events.find(({ type }) => type === "tool.invoke")?.payload).toMatchObject({
    name: "echo",
    args: { text: "first" },
  });
  expect(events.at(-1)?.payload).toMatchObject({ ok: true, status: "success" });
  expect((await api.get(`/api/v1/sessions/${session}/verify`, as(viewer))).json).toMatchObject({ ok: true });
  expect(await api.post(`/api/v1/approvals/${approval.approval_id}/decision`, decision, as(approver))).toMatchObject({
    status: 409,
  });
});

test("a denied call is never made, and the session ends with the reason", async () => {
  const { session, approval } = await waiting("second");
  const decision = { choice: "deny", subject_hash: approval.subject_hash, reason: "too loud" };
  expect((await api.post(`/api/v1/approvals/${approval.approval_id}/decision`, decision, as(approver))).status).toBe(
    200,
  );
  const events = await ended(session);
  expect(events.some(({ type }) => type === "tool.invoke")).toBe(false);
  expect(events.find(({ type }) => type === "tool.refused")?.payload["reason"]).toContain(
    "bob@corp denied it: too loud",
  );
});

test("a question survives a restart of everything", async () => {
  const { approval } = await waiting("third");
  const again = openSharedStore(`${api.workspace.root}/planes/hot/store.db`, manualClock(0));
  if (!again.ok) throw new Error(again.error.message);
  expect(again.value.findApproval(approval.approval_id)).toMatchObject({
    ok: true,
    value: { decision: null, author: "ada@corp" },
  });
  await again.value.close();
});

describe("nobody decides what they may not", () => {
  let open: { approval_id: string; subject_hash: string };
  beforeAll(async () => {
    open = (await waiting("fourth")).approval;
  });
  const decide = (key: string, change: object = {}) =>
    api.post(
      `/api/v1/approvals/${open.approval_id}/decision`,
      { choice: "approve", subject_hash: open.subject_hash, ...change },
      as(key),
    );

  test("the author cannot approve, though a role of theirs could", async () => {
    expect(await decide(author)).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining("cannot approve") },
    });
  });
  test("a role without the right cannot", async () => {
    expect(await decide(viewer)).toMatchObject({ status: 403, json: { code: "NOT_AUTHORIZED" } });
  });
  test("an approval of other arguments is none", async () => {
    expect(await decide(approver, { subject_hash: "0".repeat(64) })).toMatchObject({ status: 409 });
  });
  test("a choice that was not offered is none", async () => {
    expect(await decide(approver, { choice: "maybe" })).toMatchObject({ status: 400 });
  });
  test("and it is still open", async () => {
    expect((await api.get(`/api/v1/approvals/${open.approval_id}`, as(viewer))).json.state).toBe("open");
  });
});

test("what is shown is the exact bytes, with what hides or poses written out", async () => {
  const { approval } = await waiting("evil");
  expect(approval.subject.args.text).toBe(evil);
  expect(approval.subject_text).toContain(evil);
  expect(approval.shown).toContain(
    "pay ⟦U+202E right-to-left override⟧elgoog⟦U+202C end of direction⟧ now⟦U+200B zero-width space⟧, ⟦U+0430 looks like a Latin letter: а⟧dmin",
  );
  expect(approval.hidden.map(({ code_point }: { code_point: string }) => code_point)).toEqual([
    "U+202E",
    "U+202C",
    "U+200B",
    "U+0430",
  ]);
  expect(escapeHiddenCharacters("plain text, Ünïcödé, 日本語, Привет").hidden).toEqual([]);
  expect(escapeHiddenCharacters("⟦U+0041⟧").shown).toBe("⟦U+27E6 bracket⟧U+0041⟦U+27E7 bracket⟧");
});

test("a question expires, and then nobody can allow it", async () => {
  const clock = manualClock(Date.UTC(2026, 10, 15));
  const store = openSharedStore(":memory:", clock);
  if (!store.ok) throw new Error(store.error.message);
  const record = async () => ({ ok: true as const, value: undefined });
  const inbox = createInbox({
    store: store.value,
    clock,
    expiresInMs: 1000,
    self: "never",
    record,
    redact: (it) => it,
  });
  const bob = { id: "bob", roles: [], grants: ["approve"], authenticatedBy: "api_key" as const };
  const { approval_id, subject_hash } = await askPlainly(inbox, { occasion: "1", subject: { a: 1 } });
  clock.advance(1001);
  expect(await inbox.find(approval_id)).toMatchObject({ value: { state: "expired" } });
  expect(await inbox.decide(bob, approval_id, { choice: "approve", subject_hash, reason: "" })).toMatchObject({
    ok: false,
    error: { code: "WRITE_CONFLICT" },
  });
  expect(await inbox.list({ state: "open", limit: 10 })).toMatchObject({ value: [] });
  await store.value.close();
});

describe("work that its reviewer refused for the last time", () => {
  const decide = async (choice: string) => {
    const { session, approval } = await waiting("a poem");
    expect(approval).toMatchObject({
      kind: "escalated_review",
      author: "ada@corp",
      choices: ["accept", "reject"],
      subject: { output: "Roses are red", feedback: "no rhyme" },
    });
    const decision = { choice, subject_hash: approval.subject_hash, reason: "seen" };
    const path = `/api/v1/approvals/${approval.approval_id}/decision`;
    expect((await api.post(path, decision, as(author))).status).toBe(403); // the author cannot
    expect((await api.post(path, decision, as(approver))).status).toBe(200);
    const events = await ended(session); // the server goes on with it by itself
    expect((await api.get(`/api/v1/sessions/${session}/verify`, as(viewer))).json).toMatchObject({ ok: true });
    const asked = await api.get(`/api/v1/approvals?session=${session}&state=all`, as(viewer));
    expect(asked.json.approvals).toHaveLength(1); // and nothing is left to decide
    const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload);
    expect(of("approval.decided")).toMatchObject([{ kind: "escalated_review", choice, by: "bob@corp" }]);
    return { events, of };
  };

  test("counts once somebody else accepts it, without being done or reviewed again", async () => {
    const { events, of } = await decide("accept");
    expect(of("review.result")).toHaveLength(3);
    expect(of("agent.transition").at(-1)).toMatchObject({ from: "REVIEW", to: "DONE" });
    expect(of("wo.completed")).toMatchObject([{ verdict: "pass" }]);
    expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: true, status: "success" } });
  });

  test("has failed once somebody rejects it", async () => {
    const { events, of } = await decide("reject");
    expect(of("agent.transition").at(-1)).toMatchObject({ from: "REVIEW", to: "FAIL" });
    expect(of("wo.failed")).toMatchObject([{ verdict: "fail", outcome: { error: { code: "REVIEW_FAILED" } } }]);
    expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: false, status: "failure" } });
  });
});
