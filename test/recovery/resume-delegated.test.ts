// A flow that handed work down is killed, at its own events and inside its children, and resumed in another process: each
// part is done once, the answer is that of the undisturbed run, and the parent has paid for all of it once.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import type { Event } from "#log";
import { built } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { type CountingModel, countingModel, type Speak } from "../support/counting-model.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const speak: Speak = (messages) => {
  const text = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);
  if (text.includes("Take this request apart")) return { text: JSON.stringify({ tasks: ["apples", "pears"] }) };
  if (text.includes("Put the answers")) return { text: `all of it: ${/Part 1.*/.exec(text)?.[0]}` };
  const part = text.includes("apples") ? "apples" : "pears";
  if (!messages.some(({ role }) => role === "tool"))
    return { calls: [{ name: part === "apples" ? "peer__book" : "peer__put", args: { what: part } }] };
  return { text: `about ${part}` };
};

const order = () =>
  workOrder({
    type: "decompose",
    plane_id: "ho2",
    input: { prompt: "Compare Apples with Pears" },
    tool_permissions: ["peer.book", "peer.put"],
    budget: { token_limit: 60_000, turn_limit: 12, timeout_seconds: 60 },
  });

interface Told {
  readonly status: string;
  readonly response: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly child_work_order_ids?: readonly string[];
  readonly seen: number;
  readonly refused?: { readonly code: string; readonly message: string };
}

let model: CountingModel;
let outside: string;
let undisturbed: Told;
let spentUndisturbed: unknown;
beforeAll(async () => {
  built();
  model = await countingModel(speak);
  outside = await mkdtemp(join(tmpdir(), "writ-peer-"));
  await using workspace = await orchard();
  undisturbed = await tell(workspace, { order: order() }, "undisturbed");
  expect(undisturbed, undisturbed.error ?? "").toMatchObject({ status: "success" });
  expect(undisturbed.response).toContain("about apples");
  await workspace.reopen();
  const [parent] = await sessions(workspace, "ho2");
  if (!parent) throw new Error("no session was begun");
  spentUndisturbed = await leftAtTheEnd(workspace, parent);
});
afterAll(async () => {
  await model?.[Symbol.asyncDispose]();
  await rm(outside, { recursive: true, force: true });
});

async function orchard(): Promise<TestWorkspace> {
  const workspace = await testWorkspace({
    config: {
      provider: "openai-compatible",
      model: "m",
      base_url: model.baseUrl,
      max_output_tokens: 1_000,
      v2_features: { multi_step_enabled: true, delegation_enabled: true },
    },
  });
  await workspace.runtime.close();
  return workspace;
}

async function tell(workspace: TestWorkspace, input: object, ledger: string): Promise<Told> {
  const child = await runChild("resume-child.mjs", { root: workspace.root, ledger: join(outside, ledger), ...input });
  expect(child.stdout, child.stderr).not.toBe("");
  return JSON.parse(child.stdout) as Told;
}

async function sessions(workspace: TestWorkspace, tier: string): Promise<SessionId[]> {
  const found: SessionId[] = [];
  for await (const info of workspace.runtime.log.list())
    if (info.ok && info.value.tier === tier) found.push(info.value.session_id);
  return found;
}

/** What the parent had left when it was released: what its children spent is gone from it. */
async function leftAtTheEnd(workspace: TestWorkspace, parent: SessionId): Promise<unknown> {
  const released = (await workspace.events(parent)).findLast(
    (event): event is Event<"budget.updated"> => event.type === "budget.updated" && event.payload.action === "release",
  );
  return released?.payload.left;
}

async function resolveDoubts(workspace: TestWorkspace, lines: readonly { readonly what: string }[]): Promise<void> {
  for (const session_id of await sessions(workspace, "ho1")) {
    const events = await workspace.events(session_id);
    const shown = events.some(({ type }) => type === "tool.output" || type === "effect.resolved");
    const invoked = events.find((event) => event.type === "tool.invoke");
    if (!invoked || shown || invoked.payload.name !== "peer.book") continue;
    const what = String(invoked.payload.args["what"]);
    const done = lines.some((line) => line.what === what);
    const said = await workspace.runtime.resolveCall(
      session_id,
      invoked.payload.call_id,
      done ? { outcome: "done", result: { booked: what } } : { outcome: "not_done" },
    );
    expect(said.ok).toBe(true);
  }
}

async function linesOf(ledger: string) {
  const text = await readFile(join(outside, ledger), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { what: string });
}

let ledgers = 0;
/** How it ended; undefined where it was killed before the order was announced, and left nothing. */
async function killAndResume(kill: object): Promise<Told | undefined> {
  await using workspace = await orchard();
  const ledger = `ledger-${(ledgers += 1)}`;
  const killed = await runChild("resume-child.mjs", {
    root: workspace.root,
    ledger: join(outside, ledger),
    order: order(),
    ...kill,
  });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  await workspace.reopen();
  const [parent] = await sessions(workspace, "ho2");
  const [child] = await sessions(workspace, "ho1");
  if (!parent) {
    expect(await linesOf(ledger)).toEqual([]);
    return undefined;
  }
  await workspace.runtime.close();
  if ("alone" in kill) {
    const alone = await tell(workspace, { resume: child }, ledger);
    expect(alone.refused).toMatchObject({ code: "GATE_DENIED", message: expect.stringContaining(parent) });
  }
  let told = await tell(workspace, { resume: parent }, ledger);
  if (told.status === "waiting") {
    expect(told.error_code).toBe("EFFECT_IN_DOUBT");
    await workspace.reopen();
    await resolveDoubts(workspace, await linesOf(ledger));
    await workspace.runtime.close();
    told = await tell(workspace, { resume: parent }, ledger);
  }
  if (told.refused || told.error_code === "INTERRUPTED") return told;
  expect(told, told.error ?? "").toMatchObject({ status: "success", response: undisturbed.response });
  await workspace.reopen();
  for (const session_id of [parent, ...(await sessions(workspace, "ho1"))])
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  const lines = await linesOf(ledger);
  expect(lines.filter(({ what }) => what === "apples")).toHaveLength(1); // not idempotent: once, whatever happened
  expect(lines.filter(({ what }) => what === "pears").length).toBeGreaterThanOrEqual(1);
  const made = (await workspace.events(parent)).filter(({ type }) => type === "delegation.made");
  expect(made).toHaveLength(2);
  const left = await leftAtTheEnd(workspace, parent);
  // A call in flight at the kill counts in full; a session that had ended by then is only closed, not released.
  if (left && !JSON.stringify(await everyEvent(workspace)).includes("INTERRUPTED"))
    expect(left).toEqual(spentUndisturbed);
  return told;
}

async function everyEvent(workspace: TestWorkspace): Promise<Event[]> {
  const all: Event[] = [];
  for (const tier of ["ho2", "ho1"])
    for (const session_id of await sessions(workspace, tier)) all.push(...(await workspace.events(session_id)));
  return all;
}

const campaign = process.env["WRIT_CAMPAIGN"] !== undefined;

test("killed at its own events, from the first to the last, it goes on and so do its children", {
  timeout: 600_000,
}, async () => {
  const step = campaign ? 1 : Math.ceil(undisturbed.seen / 3);
  for (let at = campaign ? 1 : 3; at <= undisturbed.seen; at += step) await killAndResume({ killAfter: at });
});

test.each([
  ["before the effect of a child's call that may be repeated", { killBefore: "pears" }],
  ["after the effect of a child's call that may not", { killAfter: "apples", alone: true }],
])("killed %s, each part is done once", { timeout: 120_000 }, async (_, kill) => {
  expect(await killAndResume(kill)).toMatchObject({ status: "success" });
});
