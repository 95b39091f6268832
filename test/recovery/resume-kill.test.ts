// Kill -9 at every event of a request of several steps, then resume in another process. What the record holds is not done
// again (counted at a model behind a socket and at tools that write outside), the output is that of the undisturbed run,
// and the chain and the audit verify. `WRIT_CAMPAIGN=1` also kills at 100 random moments, twice in a row.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foldBudget } from "#agents";
import type { SessionId } from "#core/values";
import type { Event } from "#log";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { type CountingModel, countingModel, type Speak } from "../support/counting-model.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

/** Three steps, the first two at once; each calls tools, the third builds on both. */
const speak: Speak = (messages) => {
  // The request comes before the handoff, as data between marks.
  const handoffs = messages
    .filter(({ role, content }) => role === "user" && textOf(content).startsWith("{"))
    .map(({ content }) => JSON.parse(textOf(content)));
  const [handoff] = handoffs;
  if ("directive" in handoff)
    return said({
      steps: [
        { id: "s1", description: "book the room" },
        { id: "s2", description: "put up the sign" },
        { id: "s3", description: "tell everyone", depends_on: ["s1", "s2"] },
      ],
      risks: [],
      needs_advisor: false,
    });
  if ("report" in handoff) return said({ verdict: "pass", feedback: "" });
  // Every role is sent the request; the lead nothing else.
  if (!("step" in handoff)) return said({ intent: handoff.request, constraints: [] });
  const { id } = handoff.step as { id: string };
  const results = messages.filter(({ role }) => role === "tool").length;
  const tool = id === "s2" ? "peer__put" : "peer__book";
  if (results < 2) return { calls: [{ name: tool, args: { what: `${id}-${results + 1}` } }] };
  return said({ output: `${id} after ${JSON.stringify(handoff.results)}`, steps_completed: [id] });
};

const skill = `---
name: meeting
description: Prepares meetings.
allowed-tools: peer.book peer.put
---
Book, put up, tell.
`;

const said = (json: object) => ({ text: JSON.stringify({ ...json, schema_version: "v1" }) });
const textOf = (content: unknown) =>
  typeof content === "string" ? content : String((content as { text: string }[])[0]?.text);

const order = (): Record<string, unknown> =>
  workOrder({
    type: "plan-work-review",
    skill: "meeting",
    input: { prompt: "Prepare the meeting: book s1-1, s1-2, s3-1 and s3-2, put up s2-1 and s2-2" },
    tool_permissions: ["peer.book", "peer.put"],
    budget: { token_limit: 200_000, turn_limit: 40, timeout_seconds: 60 },
  });

interface Told {
  readonly status: string;
  readonly response: string | null;
  readonly session_id: string;
  readonly error_code: string | null;
  readonly error: string | null;
  readonly seen: number;
  readonly refused?: { readonly code: string; readonly message: string };
}

let model: CountingModel;
let outside: string;
let undisturbed: Told;
beforeAll(async () => {
  built();
  model = await countingModel(speak);
  outside = await mkdtemp(join(tmpdir(), "writ-peer-"));
  await using workspace = await meetingRoom();
  undisturbed = await tell(workspace, { order: order() }, "undisturbed");
  expect(undisturbed, undisturbed.error ?? "").toMatchObject({ status: "success" });
});
afterAll(async () => {
  await model?.[Symbol.asyncDispose]();
  await rm(outside, { recursive: true, force: true });
});

async function meetingRoom(): Promise<TestWorkspace> {
  const workspace = await testWorkspace({
    files: { "skills/meeting/SKILL.md": skill },
    config: { provider: "openai-compatible", model: "m", base_url: model.baseUrl, max_output_tokens: 2_000 },
  });
  await workspace.runtime.close();
  return workspace;
}

let ledgers = 0;
const newLedger = () => join(outside, `ledger-${(ledgers += 1)}`);

async function tell(workspace: TestWorkspace, input: object, name = newLedger()): Promise<Told> {
  const ledger = name.startsWith("/") ? name : join(outside, name);
  const child = await runChild("resume-child.mjs", { root: workspace.root, ledger, ...input });
  expect(child.stdout, child.stderr).not.toBe("");
  return JSON.parse(child.stdout) as Told;
}

async function linesOf(ledger: string) {
  const text = await readFile(ledger, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { name: string; what: string; idempotency_key: string });
}

async function sessionOf(workspace: TestWorkspace): Promise<SessionId | undefined> {
  for await (const info of workspace.runtime.log.list())
    if (info.ok && info.value.tier === "ho1") return info.value.session_id;
  return undefined;
}

/** Kills one request at a moment, resumes it until it ends, and checks all that must hold. Answers how it ended. */
async function killAndResume(killAfter: number | string, killAgain?: number): Promise<string> {
  await using workspace = await meetingRoom();
  const ledger = newLedger();
  model.forget();
  const submitted = order();
  const killed = await runChild("resume-child.mjs", { root: workspace.root, ledger, order: submitted, killAfter });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  await workspace.reopen();
  const session_id = await sessionOf(workspace);
  const before = session_id === undefined ? [] : await workspace.events(session_id);
  await workspace.runtime.close();
  if (session_id === undefined) {
    // Until the order is announced nothing is on disk, and nothing has acted.
    expect(await linesOf(ledger)).toEqual([]);
    expect([...model.asked.values()]).toEqual([]);
    return "never began";
  }
  if (killAgain !== undefined) {
    await runChild("resume-child.mjs", {
      root: workspace.root,
      ledger,
      resume: session_id,
      killAfter: before.length + killAgain,
    });
  }
  let told = await tell(workspace, { resume: session_id }, ledger);
  if (told.refused) {
    expect(told.refused.code).toBe("SESSION_CLOSED"); // it was closed already
    return "closed";
  }
  for (let doubts = 0; told.status === "waiting"; doubts++) {
    expect(doubts).toBeLessThan(3);
    await resolve(workspace, session_id, ledger, told);
    told = await tell(workspace, { resume: session_id }, ledger);
  }
  await workspace.reopen();
  const events = await workspace.events(session_id);
  const checked = await workspace.runtime.verifySession(session_id);
  expect(checked.violations).toEqual([]);
  expect(events.at(-1)?.type).toBe("session.close");
  if (!before.some(({ type }) => type === "wo.started")) {
    expect(told).toMatchObject({ status: "failure", error_code: "INTERRUPTED" });
    expect(await linesOf(ledger)).toEqual([]);
    return "never began";
  }
  expect(told, told.error ?? "").toMatchObject({ status: "success", response: undisturbed.response });
  expectNothingTwice(events, await linesOf(ledger), killAgain === undefined ? 1 : 2);
  const status = foldBudget(events, String(submitted["work_order_id"]));
  expect(status?.reserved).toEqual({ tokens: 0, usd: 0 });
  return "resumed";
}

/** A person looks at the peer and says what is there. */
async function resolve(workspace: TestWorkspace, session_id: SessionId, ledger: string, told: Told): Promise<void> {
  expect(told.error_code).toBe("EFFECT_IN_DOUBT");
  await workspace.reopen();
  const events = await workspace.events(session_id);
  const invoked = events.filter((event) => event.type === "tool.invoke");
  const shown = new Set(
    events.map(({ payload, type }) => (type === "tool.output" ? (payload as { call_id: string }).call_id : "")),
  );
  const resolved = new Set(
    events.map(({ payload, type }) => (type === "effect.resolved" ? (payload as { call_id: string }).call_id : "")),
  );
  const open = invoked.filter(
    ({ payload }) => payload.name === "peer.book" && !shown.has(payload.call_id) && !resolved.has(payload.call_id),
  );
  expect(open).not.toEqual([]);
  const there = await linesOf(ledger);
  for (const { payload } of open) {
    const what = String(payload.args["what"]);
    const done = there.some((line) => line.what === what);
    const said = await workspace.runtime.resolveCall(
      session_id,
      payload.call_id,
      done ? { outcome: "done", result: { booked: what } } : { outcome: "not_done" },
    );
    expect(said.ok).toBe(true);
  }
  await workspace.runtime.close();
}

function expectNothingTwice(events: readonly Event[], lines: Awaited<ReturnType<typeof linesOf>>, kills: number): void {
  const booked = lines.filter(({ name }) => name === "peer.book").map(({ what }) => what);
  expect(booked.toSorted()).toEqual(["s1-1", "s1-2", "s3-1", "s3-2"]); // not idempotent: once each, whatever happened
  for (const what of ["s2-1", "s2-2"]) {
    const put = lines.filter((line) => line.what === what);
    expect(put.length).toBeGreaterThanOrEqual(1);
    expect(put.length).toBeLessThanOrEqual(1 + kills); // idempotent: again under the same key, if its result was lost
    expect(new Set(put.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
  }
  const interrupted = events.filter(
    ({ type, payload }) => type === "llm.response" && payload.error?.code === "INTERRUPTED",
  ).length;
  const calls = [...model.asked.values()].reduce((sum, count) => sum + count, 0);
  const answers = events.filter(({ type, payload }) => type === "llm.response" && payload.status === "ok").length;
  // Every call at the peer is one that the log answers for: its answer is there, or it was in flight when we died.
  expect(answers).toBe(12);
  expect(calls).toBeGreaterThanOrEqual(answers);
  expect(calls).toBeLessThanOrEqual(answers + interrupted);
}

const campaign = process.env["WRIT_CAMPAIGN"] !== undefined;

describe("kill -9 and resume", { timeout: 3_600_000 }, () => {
  test("at the events of a request, from the first to the last", async () => {
    const ends: string[] = [];
    const step = campaign ? 1 : Math.ceil(undisturbed.seen / 5);
    for (let at = 1; at <= undisturbed.seen; at += step) ends.push(await killAndResume(at));
    expect(ends.filter((end) => end === "resumed").length).toBeGreaterThan(ends.length / 2);
  });

  test.each(["s1-2", "s2-1"])("in the middle of a call, after its effect (%s)", async (what) => {
    expect(await killAndResume(what)).toBe("resumed");
  });

  test("and once more while it is being resumed", async () => {
    const first = Math.floor(undisturbed.seen / 3);
    for (const more of campaign ? [1, 5, 9, 14, 20, 27] : [9]) expect(await killAndResume(first, more)).toBe("resumed");
  });

  test.runIf(campaign)("at 100 random moments", async () => {
    for (let count = 0; count < 100; count++) await killAndResume(1 + Math.floor(Math.random() * undisturbed.seen));
  });

  test("a tool whose definition changed meanwhile refuses the resume and names it", async () => {
    await using workspace = await meetingRoom();
    const killAfter = Math.floor(undisturbed.seen / 2);
    await runChild("resume-child.mjs", { root: workspace.root, ledger: newLedger(), order: order(), killAfter });
    await workspace.reopen();
    const session_id = await sessionOf(workspace);
    await workspace.runtime.close();
    const told = await tell(workspace, { resume: session_id, changed: "peer.book" });
    expect(told.refused).toMatchObject({ code: "LAW_CHANGED" });
    expect(told.refused?.message).toMatch(/the tool peer\.book was [0-9a-f]{12}, now it is [0-9a-f]{12}/);
  });
});
