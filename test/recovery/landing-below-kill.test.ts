// Kill -9 at every named point of landing below: a leaf lands in the layer of the order above it, that one in the layer of
// the first order, and the first one in the workspace. Each layer and the workspace have a landing whole or not at all, the
// record of the order that lands says which, and a mail at an MCP server went out once. `WRIT_CAMPAIGN=1` kills at 200 moments.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { type Event, startOf } from "#log";
import { built } from "../support/built.ts";
import { cli } from "../support/fresh-cli.ts";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const child = fileURLToPath(new URL("./children/landing-child.mjs", import.meta.url));
const usage = { input_tokens: 10, output_tokens: 10 };
const says = (prompt: string, call: number, respond: object) => ({
  when: { prompt: `^${prompt}$`, call },
  respond: { ...respond, usage },
});
const calls = (name: string, args: object) => ({ tool_calls: [{ name, args }] });
const write = (path: string) =>
  calls("fs.write", { path, content: "one\n", expected_hash: "", why: "the test says so" });
const handsDown = (prompt: string, token_limit: number) => ({ json: { delegate: [{ prompt, token_limit }] } });
/** Makes, changes and removes files, one of which only the layer above has. */
const program =
  "echo more >>notes/middle.md; echo changed >notes/changed.md; rm notes/removed.md; mkdir notes/deep; echo new >notes/deep/new.md";

let workspace: TestWorkspace;
let server: HostileServer;
beforeAll(async () => {
  built();
  server = hostileServer({
    tools: [{ name: "send", description: "Sends a mail.", inputSchema: { type: "object" } }],
  });
  workspace = await testWorkspace({
    config: {
      mcp: { servers: { mail: { command: process.execPath, args: [...server.args], rights: server.rights } } },
      v2_features: { multi_step_enabled: true, delegation_enabled: true },
    },
    rules: [
      says("top, and a mail to Ada", 1, write("notes/top.md")),
      says("top, and a mail to Ada", 2, handsDown("middle", 60_000)),
      says("middle", 1, write("notes/middle.md")),
      says("middle", 2, handsDown("leaf", 30_000)),
      says("leaf", 1, calls("mail.send", { to: "Ada" })),
      says("leaf", 2, write("notes/leaf.md")),
      says("leaf", 3, calls("exec", { command: ["sh", "-c", program] })),
      { respond: { text: "done", usage } },
    ],
  });
  expect((await cli(workspace.root, "tool", "approve", "mail", "--yes")).status).toBe(0);
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const at = (path: string) => join(workspace.root, path);
const textAt = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : null);
const layers = "planes/hot/turns/layers";

/** Which of the writes are in the workspace: all of all three orders, or none of any. */
function landed(): "all" | "none" {
  const signs = [
    textAt("notes/top.md") === "one\n",
    textAt("notes/middle.md") === "one\nmore\n",
    textAt("notes/leaf.md") === "one\n",
    textAt("notes/changed.md") === "changed\n",
    !existsSync(at("notes/removed.md")),
    textAt("notes/deep/new.md") === "new\n",
  ];
  expect(new Set(signs).size, `all or none, not ${signs.join()}`).toBe(1);
  return signs[0] ? "all" : "none";
}

async function freshOrder(): Promise<Record<string, unknown>> {
  rmSync(at("notes"), { recursive: true, force: true });
  await workspace.write("notes/changed.md", "old\n");
  await workspace.write("notes/removed.md", "old\n");
  await workspace.runtime.close();
  return workOrder({
    type: "delegate",
    schema_version: "v2",
    input: { prompt: "top, and a mail to Ada" },
    delegation: { max_depth: 3 },
    tool_permissions: ["mail.send", "fs.write", "exec"],
    scope: { allowed_files: ["notes/**"] },
    acceptance: { tests: ["test -f notes/deep/new.md"], checks: [] },
    budget: { token_limit: 100_000, turn_limit: 40, timeout_seconds: 60 },
  });
}

/** A process of its own that runs the order, or goes on with a session, and dies at a point or after some milliseconds. */
function run(what: { readonly order: object } | { readonly resume: string }, death: object = {}) {
  const { afterMs, ...input } = death as { afterMs?: number };
  const victim = spawn(process.execPath, [child, JSON.stringify({ root: workspace.root, ...what, ...input })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const timer = afterMs === undefined ? undefined : setTimeout(() => victim.kill("SIGKILL"), afterMs);
  return new Promise<NodeJS.Signals | null>((resolve) =>
    victim.on("close", (_, signal) => {
      clearTimeout(timer);
      resolve(signal);
    }),
  );
}

interface Recorded {
  readonly session_id: SessionId;
  readonly events: readonly Event[];
}

/** The sessions of the order and of those below it that acted, from the top. */
async function chainOf(order: Record<string, unknown>): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for await (const info of workspace.runtime.log.list()) {
    if (!info.ok) throw new Error(info.error.message);
    const { session_id } = info.value;
    all.push({ session_id, events: await workspace.events(session_id) });
  }
  const chain: Recorded[] = [];
  let next = all.find(({ events }) => events.length > 0 && startOf(events).work_order_id === order["work_order_id"]);
  while (next) {
    chain.push(next);
    const { session_id } = next;
    next = all.find(
      ({ events }) =>
        events.some(({ type }) => type === "wo.started") &&
        startOf(events).parent_kind === "child" &&
        startOf(events).parent_session_id === session_id,
    );
  }
  return chain;
}

const landings = ({ events }: Recorded) => events.filter((event) => event.type === "order.landed");

/** Each order below is in the layer above it, whole, exactly when its record says so; then it has no layer any more. */
function judgeLayers(chain: readonly Recorded[]): void {
  for (const [index, below] of chain.entries()) {
    const above = chain[index - 1];
    if (!above) continue;
    const journal = textAt(`${layers}/${above.session_id}/journal.jsonl`);
    const lines = (journal ?? "").split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const inLayer = lines.filter(({ event }) => event.type === "order.landed");
    const said = landings(below);
    expect(said.length, "an order lands once").toBeLessThanOrEqual(1);
    expect(said.every(({ payload }) => payload.into === above.session_id)).toBe(true);
    // The layer above has itself landed by then, and is gone.
    if (landings(above).length === 0)
      expect(inLayer.length, "the record says what the layer above has").toBe(said.length);
    if (said.length > 0) expect(existsSync(at(`${layers}/${below.session_id}`))).toBe(false);
    for (const { changes } of inLayer)
      for (const { kind, object } of changes as { kind: string; object: string }[])
        if (kind !== "delete") expect(existsSync(at(`${layers}/${above.session_id}/objects/${object}`))).toBe(true);
  }
}

/** Opens the workspace as the next process does, looks, and lets the first order go on to its end. */
async function goOn(order: Record<string, unknown>, mailsBefore: number): Promise<"all" | "none"> {
  await workspace.reopen();
  const found = landed();
  expect(readdirSync(at("planes/hot/turns/running"))).toEqual([]);
  const chain = await chainOf(order);
  judgeLayers(chain);
  const [top] = chain;
  expect(top !== undefined && landings(top).length > 0, "the record says whether it landed").toBe(found === "all");
  if (!top) return found;
  const mails = () => server.calls().length - mailsBefore;
  const began = top.events.some(({ type }) => type === "wo.started");
  if (!top.events.some(({ type }) => type === "session.close")) {
    const resumed = await workspace.runtime.resumeSession(top.session_id);
    if (!resumed.ok) throw new Error(resumed.error.message);
    const isInDoubt = resumed.value.status === "waiting" && resumed.value.error_code === "EFFECT_IN_DOUBT";
    if (began && !isInDoubt) expect(resumed.value).toMatchObject({ status: "success", error: null });
    // A call that was cut off may have happened: a person is asked, and nothing is done twice meanwhile.
    if (!began || isInDoubt) {
      expect(landed()).toBe("none");
      expect(mails()).toBeLessThanOrEqual(1);
      rmSync(at(layers), { recursive: true, force: true });
      return found;
    }
  }
  expect(landed()).toBe("all");
  expect(mails(), "the mail went out once").toBe(1);
  expect(readdirSync(at(layers))).toEqual([]);
  const ended = await chainOf(order);
  expect(ended.map((each) => landings(each).length)).toEqual([1, 1, 1]);
  for (const { session_id } of ended)
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  return found;
}

const leaf = 1;
const middle = 2;
const top = 3;
const points = ["staged", "promised", "applied", "recorded"] as const;
const campaign = process.env["WRIT_CAMPAIGN"] !== undefined;

describe("kill -9 while an order lands in the one above it", () => {
  test.each([leaf, middle].flatMap((nth) => points.map((point) => [point, nth] as const)))(
    "at order.land.%s of landing %i leaves before or after, and the orders go on to their end",
    async (point, nth) => {
      const order = await freshOrder();
      const mails = server.calls().length;
      expect(await run({ order }, { at: `order.land.${point}`, nth })).toBe("SIGKILL");
      await workspace.reopen();
      const chain = await chainOf(order);
      expect(chain).toHaveLength(3);
      const [, second, third] = chain.map((each) => landings(each).length);
      expect([third, second]).toEqual(nth === leaf ? [point === "staged" ? 0 : 1, 0] : [1, point === "staged" ? 0 : 1]);
      expect(await goOn(order, mails)).toBe("none");
    },
  );

  // The landing in the workspace is killed at each of its points in landing-kill; here with what landed below it.
  const ofTheFirst = [
    ["order.land.staged", "none"],
    ["order.land.step.1", "all"],
    ["order.land.promised", "all"],
    ["order.land.applied", "all"],
    ["order.land.recorded", "all"],
  ] as const;
  test.each(ofTheFirst.slice(0, campaign ? 5 : 2))(
    "at %s of the first order, which has all of it, leaves %s in the workspace",
    async (point, expected) => {
      const order = await freshOrder();
      const mails = server.calls().length;
      const nth = point === "order.land.step.1" ? 1 : top;
      expect(await run({ order }, { at: point, nth })).toBe("SIGKILL");
      expect(await goOn(order, mails)).toBe(expected);
    },
  );

  // Each point and each landing once; a campaign tries every pair.
  test.each([
    ["turn.recover.applied", campaign ? [leaf, middle, top] : [leaf, top]],
    ["turn.recover.recorded", campaign ? [leaf, middle, top] : [middle]],
  ] as const)("and again at %s of the process that finishes the landing", async (point, levels) => {
    for (const nth of levels) {
      const order = await freshOrder();
      const mails = server.calls().length;
      expect(await run({ order }, { at: "order.land.promised", nth })).toBe("SIGKILL");
      expect(await run({ resume: "the workspace is opened, and it dies there" }, { at: point })).toBe("SIGKILL");
      expect(await goOn(order, mails)).toBe(nth === top ? "all" : "none");
    }
  });

  const kills = campaign ? 200 : 6;
  test(`at ${kills} random moments`, { timeout: kills * 20_000 }, async () => {
    let order = await freshOrder();
    const began = performance.now();
    expect(await run({ order })).toBe(null);
    const whole = performance.now() - began;
    await workspace.reopen();
    expect(landed()).toBe("all");
    for (let index = 0; index < kills; index++) {
      order = await freshOrder();
      const mails = server.calls().length;
      // Evenly over the second half, where it acts: the first is the start of the process.
      const afterMs = whole * (0.4 + (0.6 * (index + Math.random())) / kills);
      await run({ order }, { afterMs });
      await goOn(order, mails);
    }
  });
});
