// Kill -9 at every named point of a landing and at random moments, then resume: what the order wrote is in the workspace
// whole or not at all, its record says which, and a mail at an MCP server went out once. `WRIT_CAMPAIGN=1` kills at 200 moments.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentWrites, forgetAgentWrites } from "#core/machine";
import type { SessionId } from "#core/values";
import type { Event } from "#log";
import { built } from "../support/built.ts";
import { cli } from "../support/fresh-cli.ts";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const child = fileURLToPath(new URL("./children/landing-child.mjs", import.meta.url));
const tool = { name: "send", description: "Sends a mail.", inputSchema: { type: "object" } };
const write = (path: string, content: string) => ({
  name: "fs.write",
  args: { path, content, expected_hash: "", why: "the test says so" },
});
const program = "echo changed >notes/changed.md; rm notes/removed.md; mkdir notes/deep; echo new >notes/deep/new.md";

let workspace: TestWorkspace;
let server: HostileServer;
beforeAll(async () => {
  built();
  server = hostileServer({ tools: [tool] });
  workspace = await testWorkspace({
    config: {
      mcp: { servers: { mail: { command: process.execPath, args: [...server.args], rights: server.rights } } },
    },
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "mail.send", args: { to: "Ada" } }] } },
      { when: { call: 2 }, respond: { tool_calls: [write("notes/a.md", "one\n")] } },
      { when: { call: 3 }, respond: { tool_calls: [{ name: "exec", args: { command: ["sh", "-c", program] } }] } },
      { respond: { text: "done" } },
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

/** Which of the order's writes are there; anything between all and none is the defect that this file looks for. */
function landed(): "all" | "none" {
  const signs = [
    textAt("notes/a.md") === "one\n",
    textAt("notes/changed.md") === "changed\n",
    !existsSync(at("notes/removed.md")),
    textAt("notes/deep/new.md") === "new\n",
  ];
  expectNoted();
  expect(new Set(signs).size, `all or none, not ${signs.join()}`).toBe(1);
  return signs[0] ? "all" : "none";
}

/** Whatever of it is there is known as an agent's: no program of the workspace is shown it as a person's. */
function expectNoted(): void {
  const written = agentWrites(workspace.root);
  const there = { "notes/a.md": "one\n", "notes/changed.md": "changed\n", "notes/deep/new.md": "new\n" };
  for (const [path, text] of Object.entries(there))
    if (textAt(path) === text) expect(written.has(path), `${path} is noted`).toBe(true);
}

async function freshOrder(): Promise<Record<string, unknown>> {
  rmSync(at("notes"), { recursive: true, force: true });
  forgetAgentWrites(workspace.root);
  await workspace.write("notes/changed.md", "old\n");
  await workspace.write("notes/removed.md", "old\n");
  await workspace.runtime.close();
  return workOrder({
    tool_permissions: ["mail.send", "fs.write", "exec"],
    scope: { allowed_files: ["notes/**"] },
    acceptance: { tests: ["test -f notes/deep/new.md"], checks: [] },
    budget: { token_limit: 50_000, turn_limit: 8, timeout_seconds: 60 },
  });
}

/** Runs the order in a process of its own that dies at a point, or is killed after some milliseconds. */
function run(order: object, death: { readonly at?: string; readonly nth?: number; readonly afterMs?: number }) {
  const { afterMs, ...input } = death;
  const victim = spawn(process.execPath, [child, JSON.stringify({ root: workspace.root, order, ...input })], {
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

async function sessionOf(order: Record<string, unknown>): Promise<readonly Event[] | undefined> {
  for await (const info of workspace.runtime.log.list()) {
    if (!info.ok) throw new Error(info.error.message);
    const events = await workspace.events(info.value.session_id);
    const start = events[0]?.type === "session.start" ? events[0].payload : undefined;
    if (start?.work_order_id === order["work_order_id"]) return events;
  }
  return undefined;
}

/** Opens the workspace as the next process does, looks, and lets the order go on to its end. */
async function goOn(order: Record<string, unknown>, mailsBefore: number): Promise<"all" | "none"> {
  expectNoted();
  await workspace.reopen();
  const found = landed();
  expect(readdirSync(at("planes/hot/turns/running"))).toEqual([]);
  const events = await sessionOf(order);
  const says = events?.some(({ type }) => type === "order.landed") ?? false;
  expect(says, "the record says whether it landed").toBe(found === "all");
  const [first] = events ?? [];
  if (!first) return found;
  const session_id = first.session_id as SessionId;
  const began = events?.some(({ type }) => type === "wo.started");
  const isClosed = events?.some(({ type }) => type === "session.close");
  const mails = () => server.calls().length - mailsBefore;
  if (!isClosed) {
    const resumed = await workspace.runtime.resumeSession(session_id);
    if (!resumed.ok) throw new Error(resumed.error.message);
    const isInDoubt = resumed.value.status === "waiting" && resumed.value.error_code === "EFFECT_IN_DOUBT";
    if (began && !isInDoubt) expect(resumed.value).toMatchObject({ status: "success", error: null });
    // A call that was cut off may have happened: a person is asked, and nothing is done twice meanwhile.
    if (!began || isInDoubt) {
      expect(landed()).toBe("none");
      expect(mails()).toBeLessThanOrEqual(1);
      rmSync(at("planes/hot/turns/layers"), { recursive: true, force: true });
      return found;
    }
  }
  expect(landed()).toBe("all");
  expect(mails(), "the mail went out once").toBe(1);
  expect(readdirSync(at("planes/hot/turns/layers"))).toEqual([]);
  expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  return found;
}

describe("kill -9 of an order", () => {
  test.each([
    ["order.land.staged", 1, "none"],
    ["order.land.promised", 1, "all"],
    ["order.land.step.0", 1, "all"],
    ["order.land.step.2", 1, "all"],
    ["order.land.applied", 1, "all"],
    ["order.land.recorded", 1, "all"],
    // Of the turns whose writes wait in its layer.
    ["turn.commit.staged", 1, "none"],
    ["turn.commit.promised", 1, "none"],
    ["turn.commit.applied", 2, "none"],
    ["turn.commit.recorded", 2, "none"],
  ] as const)("at %s (%i) leaves the workspace with %s of it, and the order goes on to its end", async (...moment) => {
    const [point, nth, expected] = moment;
    const order = await freshOrder();
    const mails = server.calls().length;
    expect(await run(order, { at: point, nth })).toBe("SIGKILL");
    expect(await goOn(order, mails)).toBe(expected);
  });

  test("while its writes go into quarantine leaves the workspace as it was, and they wait there when it goes on", async () => {
    const order = { ...(await freshOrder()), acceptance: { tests: ["false"], checks: [] } };
    const mails = server.calls().length;
    expect(await run(order, { at: "order.quarantined" })).toBe("SIGKILL");
    await workspace.reopen();
    expect(landed()).toBe("none");
    const session_id = (await sessionOf(order))?.[0]?.session_id as SessionId;
    const resumed = await workspace.runtime.resumeSession(session_id);
    expect(resumed).toMatchObject({ ok: true, value: { status: "failure", error_code: "ACCEPTANCE_FAILED" } });
    expect(landed()).toBe("none");
    expect(server.calls().length - mails, "the mail went out once").toBe(1);
    expect(readdirSync(at("planes/hot/turns/quarantine"))).toEqual([session_id]);
    const kept = (await sessionOf(order))?.filter(({ type }) => type === "order.quarantined");
    expect(kept).toMatchObject([{ payload: { action: "kept", quarantine_id: session_id } }]);
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
    rmSync(at("planes/hot/turns/quarantine"), { recursive: true, force: true });
  });

  const kills = process.env["WRIT_CAMPAIGN"] ? 200 : 6;
  test(`at ${kills} random moments`, { timeout: kills * 20_000 }, async () => {
    let order = await freshOrder();
    const began = performance.now();
    expect(await run(order, {})).toBe(null);
    const whole = performance.now() - began;
    await workspace.reopen();
    expect(landed()).toBe("all");
    for (let index = 0; index < kills; index++) {
      order = await freshOrder();
      const mails = server.calls().length;
      // Evenly over the second half, where it acts: the first is the start of the process.
      const afterMs = whole * (0.4 + (0.6 * (index + Math.random())) / kills);
      await run(order, { afterMs });
      await goOn(order, mails);
    }
  });
});
