// A tool that changed is asked about in the inbox, and approved there or with `writ tool approve`: the two never contradict.

import { expect, test } from "vitest";
import type { Approval } from "#people";
import { cli } from "../support/fresh-cli.ts";
import { book } from "../support/left-in-doubt.ts";
import { type HostileServer, hostileServer } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const as = (description: string) => ({ tools: [{ ...book, description }] });

/** A workspace in which a session noticed that a tool changed, once for each of these descriptions. */
async function noticed(server: HostileServer, descriptions: readonly string[], config: object = {}) {
  const servers = { hotel: { command: process.execPath, args: [...server.args], rights: server.rights } };
  const workspace = await testWorkspace({ config: { ...config, mcp: { servers } } });
  expect((await cli(workspace.root, "tool", "approve", "hotel", "--yes")).status).toBe(0);
  for (const description of descriptions) {
    server.set(as(description));
    await workspace.reopen();
    const order = await workspace.runtime.writeToolOrder("hotel.book", {});
    if (!order.ok) throw new Error(order.error.message);
    const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
    expect(await workspace.runtime.runFlow(request, { fresh: true })).toMatchObject({ error_code: "TOOL_NOT_ALLOWED" });
  }
  return workspace;
}

async function said(workspace: TestWorkspace, ...argv: string[]) {
  const { status, text } = await cli(workspace.root, ...argv, "--json");
  return { status, json: JSON.parse(text) };
}

/** Every question, the newest first: what it is about, and what became of it. */
async function asked(workspace: TestWorkspace) {
  const { json } = await said(workspace, "inbox", "list", "--all");
  return (json.approvals as Approval[]).map(({ approval_id, state, subject, decided_by, decision_reason }) => ({
    approval_id,
    state,
    about: (subject["definition"] as { description: string }).description,
    decided_by,
    decision_reason,
  }));
}

test("an approval by the command answers the question about that definition, and closes those about others", async () => {
  await using server = hostileServer({ tools: [book] });
  await using workspace = await noticed(server, ["older", "newer", "newer"]);
  expect((await asked(workspace)).map(({ state }) => state)).toEqual(["open", "open", "open"]);
  expect(await said(workspace, "tool", "approve", "hotel.book", "--yes")).toMatchObject({ status: 0 });
  expect(await said(workspace, "inbox")).toMatchObject({ json: { approvals: [] } });
  const { caller } = workspace.runtime;
  const [newest, newer, older] = await asked(workspace);
  expect([newest, newer]).toMatchObject([
    { about: "newer", state: "approved", decided_by: caller, decision_reason: expect.stringContaining("tool approve") },
    { about: "newer", state: "superseded" },
  ]);
  expect(older).toMatchObject({
    about: "older",
    state: "superseded",
    decision_reason: expect.stringContaining("approved"),
  });
  expect(await said(workspace, "inbox", "approve", older?.approval_id ?? "")).toMatchObject({
    status: 1,
    json: { error: { code: "WRITE_CONFLICT", message: expect.stringContaining("superseded") } },
  });
  expect(await said(workspace, "tool", "call", "hotel.book", "{}")).toMatchObject({ status: 0 });
});

test("a question about a definition that is no longer offered is told as stale, and nothing is decided", async () => {
  await using server = hostileServer({ tools: [book] });
  await using workspace = await noticed(server, ["shown"]);
  server.set(as("something else"));
  const [question] = await asked(workspace);
  const id = question?.approval_id ?? "";
  expect(await said(workspace, "inbox", "approve", id)).toMatchObject({
    status: 1,
    json: { error: { code: "WRITE_CONFLICT", message: expect.stringContaining("changed again") } },
  });
  expect(await asked(workspace)).toMatchObject([{ state: "superseded" }]);
  expect(await said(workspace, "tool", "call", "hotel.book", "{}")).toMatchObject({ status: 3 });
});

test("a server that does not answer leaves the question as it is", async () => {
  await using server = hostileServer({ tools: [book] });
  await using workspace = await noticed(server, ["shown"]);
  const config = { version: 1, mcp: { servers: { hotel: { command: process.execPath, args: ["-e", "0"] } } } };
  await workspace.write("writ.yaml", JSON.stringify(config));
  expect(await said(workspace, "trust", "--yes")).toMatchObject({ status: 0 });
  const [question] = await asked(workspace);
  expect((await said(workspace, "inbox", "approve", question?.approval_id ?? "")).status).not.toBe(0);
  expect(await asked(workspace)).toMatchObject([{ state: "open", decided_by: null }]);
});

test("who may not answer the question may not approve elsewhere what it is about", async () => {
  await using server = hostileServer({ tools: [book] });
  const config = { approvals: { expire_hours: 72, self_approval: "never" } };
  await using workspace = await noticed(server, ["shown"], config);
  expect(await said(workspace, "tool", "approve", "hotel.book", "--yes")).toMatchObject({
    status: 3,
    json: { error: { code: "NOT_AUTHORIZED" } },
  });
  expect(await asked(workspace)).toMatchObject([{ state: "open", decided_by: null }]);
  expect(await said(workspace, "tool", "call", "hotel.book", "{}")).toMatchObject({ status: 3 });
});
