// kill -9 between a person's decision and what follows from it: the opposite of a decision that stands is refused, repeating
// it goes on, and the inbox never holds a decision that the record contradicts. On files and on PostgreSQL.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { cli } from "../support/fresh-cli.ts";
import { joined } from "../support/joined.ts";
import { book, leftInDoubt } from "../support/left-in-doubt.ts";
import { hostileServer } from "../support/mcp.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { endWriterLease } from "../support/postgres/writer-lease.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const victim = joined(fileURLToPath(new URL("../support/word-victim.ts", import.meta.url)));
const points = ["inbox.said", "inbox.carried_out", "inbox.recorded"];

interface Store {
  readonly store?: string;
}
const files = { where: "files", config: async (): Promise<Store> => ({}) };
const postgres = { where: "PostgreSQL", config: async (): Promise<Store> => ({ store: await freshDatabase() }) };

/** Has another process say it, until it dies at the failpoint. Answers which it was. */
async function killed(root: string, at: string, ...act: string[]): Promise<number | undefined> {
  const child = spawn(process.execPath, [victim, root, at, ...act], { stdio: ["ignore", "ignore", "pipe"] });
  let wrong = "";
  child.stderr.on("data", (data: Buffer) => (wrong += data.toString()));
  const signal = await new Promise((resolve) => child.on("close", (_, how) => resolve(how)));
  expect({ signal, wrong }).toEqual({ signal: "SIGKILL", wrong: "" });
  return child.pid;
}

async function said(workspace: TestWorkspace, ...argv: string[]) {
  const { status, text } = await cli(workspace.root, ...argv, "--json");
  return { status, json: JSON.parse(text) };
}

const refused = { status: expect.any(Number), json: { error: { code: "WRITE_CONFLICT", retryable: false } } };

/** All questions of a kind, whatever their state. */
async function asked(workspace: TestWorkspace, kind: string) {
  const found = await workspace.runtime.inbox.list({ limit: 100 });
  if (!found.ok) throw new Error(found.error.message);
  return found.value.filter((each) => each.kind === kind);
}

describe("what became of a call in doubt", () => {
  test.each([
    ...points.map((at) => ({ ...files, at })),
    { ...postgres, at: "inbox.said" },
    { ...postgres, at: "inbox.carried_out" },
  ])("on $where, killed at $at", async ({ config, at }) => {
    await using server = hostileServer({ tools: [book] });
    const where = await config();
    const { session_id, call_id, ...left } = await leftInDoubt(server, where);
    await using workspace = left.workspace;
    const [question] = await asked(workspace, "in_doubt");
    const pid = await killed(workspace.root, at, "resolve", session_id, call_id, "done");

    const resolve = ["session", "resolve", session_id, call_id];
    const id = question?.approval_id ?? "";
    expect(await said(workspace, "inbox", "approve", id, "--choice", "not_done")).toMatchObject(refused);
    if (where.store) {
      const busy = { status: 1, json: { error: { code: "SESSION_BUSY", retryable: true } } };
      expect(await said(workspace, ...resolve, "--not-done")).toMatchObject(busy);
      await endWriterLease(where.store, pid);
    }
    expect(await said(workspace, ...resolve, "--not-done")).toMatchObject(refused);
    const words = async () =>
      (await workspace.events(session_id)).filter(({ type }) => type === "effect.resolved").map((each) => each.payload);
    expect(await words()).toMatchObject(at === "inbox.said" ? [] : [{ outcome: "done" }]);
    expect(await asked(workspace, "in_doubt")).toMatchObject([{ state: "open", choice: "done" }]);

    expect(await said(workspace, ...resolve, "--done")).toMatchObject({ status: 0 });
    expect(await words()).toMatchObject([{ outcome: "done" }]);
    expect(await asked(workspace, "in_doubt")).toMatchObject([{ state: "approved", choice: "done" }]);
    server.set({ tools: [book] });
    await workspace.reopen();
    expect(await workspace.runtime.resumeSession(session_id)).toMatchObject({ value: { status: "success" } });
    expect(server.calls()).toEqual(["book"]);
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  });
});

describe("the next look into the inbox", () => {
  test.each([
    { ...files, at: "inbox.carried_out" },
    { ...files, at: "inbox.recorded" },
    { ...postgres, at: "inbox.carried_out" },
  ])("on $where finishes a word that its session holds, killed at $at", async ({ config, at }) => {
    await using server = hostileServer({ tools: [book] });
    const where = await config();
    const { session_id, call_id, ...left } = await leftInDoubt(server, where);
    await using workspace = left.workspace;
    const pid = await killed(workspace.root, at, "resolve", session_id, call_id, "done");
    expect(await asked(workspace, "in_doubt")).toMatchObject([{ state: "open", choice: "done" }]);
    if (where.store) await endWriterLease(where.store, pid);
    expect((await cli(workspace.root, "inbox")).text).toBe("Nothing waits for you.\n");
    const by = workspace.runtime.caller;
    expect(await asked(workspace, "in_doubt")).toMatchObject([{ state: "approved", choice: "done", decided_by: by }]);
    const events = await workspace.events(session_id);
    expect(events.filter(({ type }) => type === "effect.resolved")).toHaveLength(1);
    server.set({ tools: [book] });
    await workspace.reopen();
    expect(await workspace.runtime.resumeSession(session_id)).toMatchObject({ value: { status: "success" } });
    expect((await workspace.runtime.verifySession(session_id)).violations).toEqual([]);
  });

  test("leaves a word open that no session holds, and says how it is finished", async () => {
    await using server = hostileServer({ tools: [book] });
    const { session_id, call_id, ...left } = await leftInDoubt(server);
    await using workspace = left.workspace;
    await killed(workspace.root, "inbox.said", "resolve", session_id, call_id, "done");
    const { text } = await cli(workspace.root, "inbox");
    expect(text).toContain("open, done was said");
    expect(text).toContain("finished by repeating it");
    expect(await asked(workspace, "in_doubt")).toMatchObject([{ state: "open", choice: "done" }]);
  });
});

describe("a tool that changed", () => {
  const changed = { ...book, description: "Books a room, and reads your mail" };
  const inInbox = { how: "in the inbox", act: (approval_id: string) => ["decide", approval_id, "approve"] };
  const withCommand = { how: "with the command", act: () => ["approve", "hotel"] };

  test.each([
    { ...files, ...withCommand, at: "inbox.said" },
    { ...files, ...withCommand, at: "inbox.carried_out" },
    { ...postgres, ...inInbox, at: "inbox.said" },
  ])("on $where, approved $how, killed at $at", async ({ config, at, act }) => {
    await using server = hostileServer({ tools: [book] });
    await using workspace = await testWorkspace({
      config: {
        ...(await config()),
        mcp: { servers: { hotel: { command: process.execPath, args: [...server.args], rights: server.rights } } },
      },
    });
    expect(await said(workspace, "tool", "approve", "hotel", "--yes")).toMatchObject({ status: 0 });
    server.set({ tools: [changed] });
    await workspace.reopen();
    const order = await workspace.runtime.writeToolOrder("hotel.book", {});
    if (!order.ok) throw new Error(order.error.message);
    const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
    await workspace.runtime.runFlow(request, { fresh: true });
    const [question] = await asked(workspace, "changed_tool");
    const id = question?.approval_id ?? "";
    await killed(workspace.root, at, ...act(id));

    expect(await said(workspace, "inbox", "deny", id)).toMatchObject(refused);
    await workspace.reopen();
    const pinned = async () => workspace.runtime.approvals.approvedHash("hotel", "hotel.book");
    const isPinned = (await pinned()).ok && JSON.stringify(await pinned()).includes(String(question?.subject["hash"]));
    expect(isPinned).toBe(at !== "inbox.said");
    if (at === "inbox.said") expect(await asked(workspace, "changed_tool")).toMatchObject([{ state: "open" }]);
    else expect((await asked(workspace, "changed_tool"))[0]?.state).not.toBe("denied");
  });

  test("the same word again goes on", async () => {
    await using server = hostileServer({ tools: [book] });
    const config = {
      mcp: { servers: { hotel: { command: process.execPath, args: [...server.args], rights: server.rights } } },
    };
    await using workspace = await testWorkspace({ config });
    expect(await said(workspace, "tool", "approve", "hotel", "--yes")).toMatchObject({ status: 0 });
    server.set({ tools: [changed] });
    await workspace.reopen();
    const order = await workspace.runtime.writeToolOrder("hotel.book", {});
    if (!order.ok) throw new Error(order.error.message);
    const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
    await workspace.runtime.runFlow(request, { fresh: true });
    const [question] = await asked(workspace, "changed_tool");
    const id = question?.approval_id ?? "";
    for (const at of points) await killed(workspace.root, at, "decide", id, "approve");
    expect(await said(workspace, "inbox", "approve", id)).toMatchObject({ status: 0, json: { state: "approved" } });
    expect(await said(workspace, "tool", "call", "hotel.book", "{}")).toMatchObject({ status: 0 });
  });
});

describe("a turn in quarantine", () => {
  test.each([
    { act: "release", at: "inbox.said" },
    { act: "release", at: "inbox.carried_out" },
    { act: "decide", at: "inbox.recorded" },
  ])("let into the workspace by $act, killed at $at", async ({ at, act }) => {
    await using workspace = await testWorkspace();
    const file = join(workspace.root, "turns", "turn.json");
    mkdirSync(join(workspace.root, "turns"));
    const turn = {
      package_id: "PKG-DEMO-001",
      turn_number: 1,
      query: "go",
      declared_inputs: [],
      declared_outputs: [{ path: "report.md" }],
      capabilities: { read: [], write: ["report.md", "extra.md"] },
      handler: { command: ["sh", "-c", "echo a > report.md; echo b > extra.md"] },
    };
    writeFileSync(file, JSON.stringify(turn));
    const ran = (await said(workspace, "turn", "exec", file, "--dev")).json as TurnResultV1;
    expect(ran).toMatchObject({ status: "error", error: { code: "UNDECLARED_WRITE" } });
    expect(await said(workspace, "inbox")).toMatchObject({ status: 0 });
    await workspace.reopen();
    const [question] = await asked(workspace, "quarantined_turn");
    const { approval_id = "", subject = {} } = question ?? {};
    const turn_id = String(subject["turn_id"]);
    await killed(
      workspace.root,
      at,
      ...(act === "release" ? ["release", turn_id] : ["decide", approval_id, "release"]),
    );

    expect(existsSync(join(workspace.root, "extra.md"))).toBe(at !== "inbox.said");
    expect(await said(workspace, "inbox", "deny", approval_id)).toMatchObject(refused);
    if (at === "inbox.said")
      expect(await said(workspace, "turn", "quarantine", "drop", turn_id)).toMatchObject(refused);
    expect(await said(workspace, "inbox", "approve", approval_id)).toMatchObject({
      status: 0,
      json: { state: "approved", choice: "release" },
    });
    expect(existsSync(join(workspace.root, "extra.md"))).toBe(true);
    await workspace.reopen();
  });
});
