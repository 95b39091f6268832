// Everything that waits for a person is one kind of record: what will happen, the words that answer it, the risk and what a
// yes takes at it, which the server holds and not the screen.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { type Asked, type Desk, desk, hashOfPlan, plan, planned, writes } from "../support/desk.ts";

const note = (word: string) => writes(word, { path: `notes/${word}.md`, content: "tea\n" });
const replaces = (word: string) => writes(word, { path: "notes/plan.md", content: planned, expected: hashOfPlan });

describe("a question", () => {
  let api: Desk;
  beforeAll(async () => {
    api = await desk({ rules: [replaces("replace"), note("allowed"), note("undone"), note("refused")] });
  });
  afterAll(() => api[Symbol.asyncDispose]());
  const say = (one: Asked, change: object, who: "ada" | "bob" = "bob") =>
    api.post(
      `/api/v1/approvals/${one.approval_id}/decision`,
      { subject_hash: one.subject_hash, choice: "allow", ...change },
      api.as(who),
    );

  test("says what will happen to the file as it is now, why it is asked, and what goes stale", async () => {
    const one = await api.ask("replace");
    expect(shippedRegistry().validate("approval_v1", one)).toMatchObject({ ok: true });
    expect(one).toMatchObject({
      title: "replace notes/plan.md: −1 +2 lines",
      risk: "medium",
      on_silence: "denied",
      deciders: { right: "approve", author_may: "local" },
      demands: { reason: false, people: 1, hold_seconds: 0 },
      foreseen: {
        stale: [],
        change: {
          kind: "replace",
          removed: 1,
          added: 2,
          difference: "@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four",
        },
        asked_by: [{ rule: "hook look-first", where: expect.stringMatching(/^writ\.yaml:\d+$/) }],
      },
    });
    expect(one.answers).toMatchObject([
      { choice: "approve", word: "allow", yes: true },
      { choice: "deny", word: "deny", yes: false },
    ]);
    await writeFile(join(api.workspace.root, "notes/plan.md"), `zero\n${plan}`);
    const now = (await api.get(`/api/v1/approvals/${one.approval_id}`, api.as("bob"))).json;
    expect(now.foreseen.stale).toEqual([
      "notes/plan.md changed since the agent read it: the call would fail",
      "notes/plan.md changed since this was asked",
    ]);
    expect(now.foreseen.change).toMatchObject({ removed: 2, added: 2 });
    // The list says the same as the card, and the subject is what it was.
    const { approvals } = (await api.get("/api/v1/approvals", api.as("bob"))).json;
    expect(approvals.find((each: Asked) => each.approval_id === one.approval_id)).toMatchObject({
      title: "replace notes/plan.md: −2 +2 lines",
      subject_hash: one.subject_hash,
    });
  });

  test("is answered with the one set of words, and with the old ones", async () => {
    const one = await api.ask("allowed");
    expect(one.title).toBe("create notes/allowed.md: +1 line");
    expect(await say(one, { choice: "perhaps" })).toMatchObject({ status: 400 });
    expect(await say(one, {})).toMatchObject({ status: 200, json: { state: "approved", choice: "approve" } });
    expect((await api.ended(one.session_id)).map(({ type }) => type)).toContain("tool.result");
    const other = await api.ask("refused");
    expect(await say(other, { choice: "no" })).toMatchObject({
      status: 200,
      json: { state: "denied", choice: "deny" },
    });
  });

  test("whose answer counts later is taken back until then, by who gave it, and is open again", async () => {
    const one = await api.ask("undone");
    const said = await say(one, { undo_seconds: 60 });
    expect(said.json).toMatchObject({ state: "open", choice: "approve", decided_by: "bob@corp", decided_at: null });
    expect(Date.parse(said.json.counts_at)).toBeGreaterThan(Date.parse(one.created_at));
    const takeBack = (who: "bob" | "carol") =>
      fetch(`${api.server.url}/api/v1/approvals/${one.approval_id}/decision`, {
        method: "DELETE",
        headers: api.as(who),
      });
    expect((await takeBack("carol")).status).toBe(409);
    expect((await takeBack("bob")).status).toBe(200);
    const again = (await api.get(`/api/v1/approvals/${one.approval_id}`, api.as("bob"))).json;
    expect(again).toMatchObject({ state: "open", choice: null, counts_at: null });
    expect((await takeBack("bob")).status).toBe(409);
    expect((await say(again, { undo_seconds: 0.01 })).json).toMatchObject({ state: "open" });
    expect((await api.ended(one.session_id)).map(({ type }) => type)).toContain("approval.decided");
  });
});

describe("above a risk", () => {
  let api: Desk;
  beforeAll(async () => {
    api = await desk({
      rules: [note("reasoned"), note("held"), note("doubled"), note("refused"), note("returned")],
      approvals: {
        risks: [{ tools: ["fs.*"], risk: "high", reason: "notes are shared" }],
        demands: { high: { reason: true, people: 2, hold_seconds: 0.05 } },
      },
    });
  });
  afterAll(() => api[Symbol.asyncDispose]());
  const say = (one: Asked, who: "ada" | "bob" | "carol", change: object = {}) =>
    api.post(
      `/api/v1/approvals/${one.approval_id}/decision`,
      { subject_hash: one.subject_hash, choice: "allow", reason: "looked at it", ...change },
      api.as(who),
    );
  const press = (one: Asked, who: "ada" | "bob" | "carol") =>
    api.post(
      `/api/v1/approvals/${one.approval_id}/hold`,
      { subject_hash: one.subject_hash, choice: "allow" },
      api.as(who),
    );
  /** Pressed, and said when the time is over, however slow the machine is. */
  const hold = async (one: Asked, who: "bob" | "carol", change: object = {}) => {
    expect(await press(one, who)).toMatchObject({ status: 200 });
    let answer = await say(one, who, change);
    while (answer.json.detail?.includes("is held for")) answer = await say(one, who, change);
    return answer;
  };

  test("a yes without a reason, or that was not held, is refused by the server", async () => {
    const one = await api.ask("reasoned");
    expect(one).toMatchObject({ risk: "high", demands: { reason: true, people: 2, hold_seconds: 0.05 } });
    expect((await say(one, "bob", { reason: "" })).json.detail).toContain("a yes takes a reason");
    expect((await say(one, "bob")).json.detail).toContain("is held for 0.05 s");
    expect((await press(one, "ada")).status).toBe(403);
    expect((await api.get(`/api/v1/approvals/${one.approval_id}`, api.as("bob"))).json).toMatchObject({ choice: null });
  });

  test("one person is not enough, twice the same is one, and the author is none", async () => {
    const one = await api.ask("doubled");
    expect((await hold(one, "bob")).json).toMatchObject({ state: "open", choice: "approve", decided_by: "bob@corp" });
    expect((await press(one, "bob")).status).toBe(409);
    expect((await say(one, "bob")).status).toBe(409);
    expect((await say(one, "ada")).status).toBe(403);
    expect((await hold(one, "carol")).json).toMatchObject({ state: "approved", decided_by: "bob@corp + carol@corp" });
    const decided = (await api.ended(one.session_id)).find(({ type }) => type === "approval.decided");
    expect(decided?.payload).toMatchObject({ by: "bob@corp + carol@corp", reason: "looked at it; looked at it" });
  });

  test("a no needs none of it, also where somebody said yes before", async () => {
    const one = await api.ask("refused");
    await hold(one, "bob");
    expect((await say(one, "carol", { choice: "deny", reason: "" })).json).toMatchObject({
      state: "denied",
      decided_by: "carol@corp",
    });
    const events = await api.ended(one.session_id);
    expect(events.some(({ type }) => type === "tool.invoke")).toBe(false);
  });

  test("the first yes is taken back by who said it", async () => {
    const one = await api.ask("returned");
    await hold(one, "bob");
    const url = `${api.server.url}/api/v1/approvals/${one.approval_id}/decision`;
    expect((await fetch(url, { method: "DELETE", headers: api.as("carol") })).status).toBe(409);
    expect((await fetch(url, { method: "DELETE", headers: api.as("bob") })).status).toBe(200);
    expect((await hold(one, "carol")).json).toMatchObject({ state: "open", decided_by: "carol@corp" });
  });
});

test("a question that nobody answers frees what waits for it when its time is over", async () => {
  await using api = await desk({ rules: [note("silent")], approvals: { expire_hours: 1 / 3600 } });
  const { session_id, approval_id } = await api.ask("silent");
  const events = await api.ended(session_id);
  expect(events.find(({ type }) => type === "tool.refused")?.payload["reason"]).toContain("nobody allowed it before");
  expect((await api.get(`/api/v1/approvals/${approval_id}`, api.as("bob"))).json).toMatchObject({ state: "expired" });
});
