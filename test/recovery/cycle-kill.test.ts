// Kill -9 in each phase of a cycle, then resume in another process (this one): the same verdict, path and judgements as the undisturbed
// run, nothing with a recorded result done again, and the record verifies. `WRIT_CAMPAIGN=1` kills at every event.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionId, systemClock, systemRandom } from "#core/values";
import type { Event } from "#log";
import { openRuntime } from "#main";
import { type Runtime } from "../../src/main/parts.ts";
import { openSharedStore } from "../../src/operate/store/sqlite-shared-store.ts";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { cycleWorkspace, finding, findings, made } from "../support/cycle-workspace.ts";
import { workOrder } from "../support/runtime-workspace.ts";

const rules = [
  {
    when: { persona: "maker", call: 1 },
    respond: {
      tool_calls: [
        { name: "fs.write", args: { path: "output/tidy/done.txt", content: "tidy", expected_hash: "", why: "asked" } },
      ],
    },
  },
  { when: { persona: "maker" }, respond: made },
  { when: { persona: "sharp-eye", call: 1 }, respond: findings(finding({ severity: "P1" })) },
  { when: { persona: "sharp-eye" }, respond: findings(finding()) },
];

const order = () =>
  workOrder({
    type: "cycle",
    cycle: "tidy",
    scope: { allowed_files: ["output/**"] },
    tool_permissions: ["fs.write"],
    budget: { token_limit: 100_000, turn_limit: 40, timeout_seconds: 60 },
  });

const folder = mkdtempSync(join(tmpdir(), "writ-cycle-kill-"));
const template = join(folder, "template");
let rooms = 0;

/** A workspace that nobody has worked in: a copy, since making one takes longer than a kill. */
function room(): string {
  rooms += 1;
  const root = join(folder, `room-${rooms}`);
  cpSync(template, root, { recursive: true, preserveTimestamps: true });
  return root;
}

async function inside<T>(root: string, look: (runtime: Runtime) => Promise<T>): Promise<T> {
  const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });
  if (!opened.ok) throw new Error(opened.error.message);
  try {
    return await look(opened.value);
  } finally {
    await opened.value.close();
  }
}

let undisturbed: readonly Event[];
beforeAll(async () => {
  built();
  const config = { workspace_budget: { token_limit: 10_000_000, period: "ever" } };
  await using workspace = await cycleWorkspace({ rules, config });
  await workspace.runtime.close();
  cpSync(workspace.root, template, { recursive: true, preserveTimestamps: true });
  const root = room();
  const child = await runChild("cycle-child.mjs", { root, order: order() });
  expect(JSON.parse(child.stdout), child.stderr).toMatchObject({ status: "success", verdict: "done" });
  undisturbed = await inside(root, async (runtime) => eventsOf(runtime, await sessionOf(runtime)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function sessionOf(runtime: Runtime): Promise<SessionId> {
  for await (const info of runtime.log.list()) if (info.ok && info.value.tier === "ho1") return info.value.session_id;
  throw new Error("no session was begun");
}

async function eventsOf(runtime: Runtime, session_id: SessionId): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of runtime.log.read(session_id)) {
    if (!event.ok) throw new Error(event.error.message);
    events.push(event.value);
  }
  return events;
}

/** What a cycle came to, without ids and times. */
function judgements(events: readonly Event[]) {
  return events
    .filter(({ type }) =>
      ["workflow.judged", "workflow.phase_advanced", "workflow.completed", "workflow.policy_gated"].includes(type),
    )
    .map(({ type, payload }) => [type, { ...payload, input_hash: undefined }]);
}

async function killAndResume(killAfter: number): Promise<void> {
  const root = room();
  const killed = await runChild("cycle-child.mjs", { root, order: order(), killAfter });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  await inside(root, async (runtime) => {
    const session_id = await sessionOf(runtime);
    const before = await eventsOf(runtime, session_id);
    const resumed = await runtime.resumeSession(session_id);
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ value: { status: "success", verdict: "done" } });
    const events = await eventsOf(runtime, session_id);
    expect((await runtime.verifySession(session_id)).violations).toEqual([]);
    expect(judgements(events)).toEqual(judgements(undisturbed));
    expect(readFileSync(join(root, "output/tidy/done.txt"), "utf8")).toBe("tidy");
    expectNothingTwice(before, events);
  });
  rmSync(root, { recursive: true, force: true });
}

/** A request that had its answer is not sent again, and a call that had its output is not made again. */
function expectNothingTwice(before: readonly Event[], events: readonly Event[]): void {
  const of = (list: readonly Event[], type: string, key: string) =>
    list
      .filter((event) => event.type === type)
      .map(({ payload }) => String((payload as unknown as Record<string, unknown>)[key]));
  const answered = new Set(of(before, "llm.response", "request_id"));
  const hashes = before
    .filter(
      (event): event is Event<"llm.request"> => event.type === "llm.request" && answered.has(event.payload.request_id),
    )
    .map(({ payload }) => payload.conversation_hash);
  const all = of(events, "llm.request", "conversation_hash");
  for (const hash of hashes) expect(all.filter((each) => each === hash)).toHaveLength(1);
  const shown = of(before, "tool.output", "call_id");
  for (const call of shown)
    expect(of(events, "tool.invoke", "call_id").filter((each) => each === call)).toHaveLength(1);
}

/** What each model call cost by the record; in full what it had set aside where its end is not known. */
function tokensOf(events: readonly Event[]): readonly number[] {
  const calls = new Map<string, number>();
  for (const event of events) {
    if (event.type !== "budget.updated") continue;
    const { reservation_id, input_tokens, output_tokens } = event.payload;
    if (reservation_id !== undefined) calls.set(reservation_id, input_tokens + output_tokens);
  }
  return [...calls.values()];
}

describe("killed in a phase and resumed", () => {
  /** The n-th event of a type, counted from 0: kill -9 follows it at once. */
  const at = (type: string, nth: number): number => {
    const found = undisturbed.flatMap((event, index) => (event.type === type ? [index + 1] : []));
    return found[nth] ?? 0;
  };
  test.each([
    ["make, while its persona writes", "tool.invoke", 0],
    ["look, while two reviewers are asked", "llm.request", 3],
    ["look, when the findings are gathered", "workflow.gathered", 1],
    ["make again, just entered", "workflow.entered", 2],
    ["look again, while its report is written", "tool.invoke", 2],
    ["the end, when the verdict is recorded", "workflow.completed", 0],
  ])("%s", async (_, type, nth) => {
    expect(at(type, nth), `${type} ${nth}`).toBeGreaterThan(0);
    await killAndResume(at(type, nth));
  });

  test("nobody resumes it: what each of its personas had spent is gone from the workspace's budget", async () => {
    const root = room();
    const killed = await runChild("cycle-child.mjs", { root, order: order(), killAfter: at("llm.request", 3) });
    expect(killed.signal, killed.stderr).toBe("SIGKILL");
    const spent = await inside(root, async (runtime) => {
      const session_id = await sessionOf(runtime);
      const probe = workOrder({ budget: { token_limit: 1, turn_limit: 1, timeout_seconds: 60 } });
      await runtime.runFlow({ work_order: probe, caller_id: runtime.caller }); // whoever works here next settles for the dead
      return tokensOf(await eventsOf(runtime, session_id));
    });
    expect(spent.length).toBeGreaterThan(2);
    const inAll = spent.reduce((sum, tokens) => sum + tokens, 0);
    const store = openSharedStore(join(root, "planes/hot/store.db"), systemClock);
    if (!store.ok) throw new Error(store.error.message);
    const take = (token_limit: number, work_order_id: string) =>
      store.value.takeBudgetShare(
        { pool_id: "workspace", token_limit, usd_limit: null },
        { session_id: "SES-probe", work_order_id, tokens: 1, usd: 0 },
      );
    expect(await take(inAll, "WO-1")).toMatchObject({ ok: false, error: { code: "BUDGET_EXHAUSTED" } });
    expect(await take(inAll + 1, "WO-2")).toMatchObject({ ok: true });
    await store.value.close();
  });

  test.runIf(process.env["WRIT_CAMPAIGN"])("at every event", { timeout: 3_600_000 }, async () => {
    const first = undisturbed.findIndex(({ type }) => type === "wo.started") + 1;
    const last = undisturbed.findIndex(({ type }) => type === "wo.completed") - 1;
    // WRIT_CAMPAIGN=3 takes every third event: a short form.
    const step = Math.max(1, Number(process.env["WRIT_CAMPAIGN"]) || 1);
    for (let event = first; event <= last; event += step) await killAndResume(event);
  });
});
