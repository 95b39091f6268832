// Nothing lands before it is accepted: what an order writes waits in a layer of its own, and lands whole or not at all.

import { existsSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { testServer } from "../support/server.ts";

const budget = { token_limit: 50_000, turn_limit: 8, timeout_seconds: 60 };
const rights = {
  tool_permissions: ["fs.read", "fs.list", "fs.search", "sources.search", "fs.write", "exec"],
  scope: { allowed_files: ["notes/**"] },
  budget,
};
const call = (name: string, args: object) => ({ name, args });
const write = (path: string, content: string, expected_hash = "") =>
  call("fs.write", { path, content, expected_hash, why: "the test says so" });
/** A model that makes these calls one after the other and then says that it is done. */
const script = (...steps: readonly object[][]) => [
  ...steps.map((tool_calls, index) => ({ when: { call: index + 1 }, respond: { tool_calls } })),
  { respond: { text: "done" } },
];

interface Shown {
  readonly status: number;
  readonly text: string;
  readonly errors: string;
}

/** One command at the command line, in a workspace that no other process holds open. */
async function at(workspace: TestWorkspace, ...argv: string[]): Promise<Shown> {
  await workspace.runtime.close();
  const said = await cli(workspace.root, ...argv);
  await workspace.reopen();
  return said;
}

async function flow(workspace: TestWorkspace, changes: object) {
  await workspace.write("order.json", JSON.stringify(workOrder({ ...rights, ...changes })));
  const ran = await at(workspace, "flow", "run", "order.json", "--json");
  return JSON.parse(ran.text) as {
    status: string;
    session_id: SessionId;
    error_code: string | null;
    error: string | null;
    quarantine_id?: string;
  };
}

const typesOf = async (workspace: TestWorkspace, session_id: string) =>
  (await workspace.events(session_id)).map(({ type }) => type);
const layersOf = (workspace: TestWorkspace) => readdir(join(workspace.root, "planes/hot/turns/layers"));
const outputs = (workspace: TestWorkspace, session_id: string, call_name: string) =>
  workspace
    .events(session_id)
    .then((events) =>
      events.flatMap((event) =>
        event.type === "tool.output" && event.payload.name === call_name ? [event.payload.content] : [],
      ),
    );

test("accepted work lands whole, in one commit, after its criteria saw it", async () => {
  await using workspace = await testWorkspace({
    files: { "notes/old.md": "old\n" },
    rules: script([write("notes/a.md", "one\n")], [write("notes/deep/b.md", "two\n")]),
  });
  const tests = ["test -f notes/a.md", "grep -q two notes/deep/b.md", "test -f notes/old.md"];
  const result = await flow(workspace, { acceptance: { tests, checks: [] } });
  expect(result).toMatchObject({ status: "success", error: null });
  expect(await workspace.read("notes/a.md")).toBe("one\n");
  expect(await workspace.read("notes/deep/b.md")).toBe("two\n");
  const events = await workspace.events(result.session_id);
  const landed = events.flatMap((event) => (event.type === "order.landed" ? [event.payload] : []));
  expect(landed).toMatchObject([{ into: "workspace" }]);
  expect(landed[0]?.outputs.map(({ path, change }) => [path, change])).toEqual([
    ["notes/a.md", "create"],
    ["notes/deep", "folder"],
    ["notes/deep/b.md", "create"],
  ]);
  const kinds = events.map(({ type }) => type);
  expect(kinds.indexOf("order.landed")).toBeGreaterThan(kinds.indexOf("acceptance.checked"));
  expect(await layersOf(workspace)).toEqual([]);
  expect((await workspace.runtime.verifySession(result.session_id)).violations).toEqual([]);
});

test("the turns and tools of an order see what it wrote: read, listed, searched, in a program, deleted", async () => {
  await using workspace = await testWorkspace({
    files: { "notes/old.md": "old\n", "notes/gone.md": "gone\n" },
    rules: script(
      [write("notes/new/a.md", "needle\n")],
      [call("exec", { command: ["sh", "-c", "cat notes/new/a.md && rm notes/gone.md && echo more >>notes/old.md"] })],
      [
        call("fs.read", { path: "notes/new/a.md" }),
        call("fs.read", { path: "notes/old.md" }),
        call("fs.read", { path: "notes/gone.md" }),
        call("fs.list", { path: "notes" }),
        call("fs.search", { pattern: "needle|more" }),
        call("sources.search", { query: "needle", glob: ["notes/**"] }),
        call("exec", { command: ["sh", "-c", "ls notes notes/new; cat notes/old.md"] }),
      ],
    ),
  });
  const result = await flow(workspace, { acceptance: { tests: ["false"], checks: [] } });
  expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
  const read = await outputs(workspace, result.session_id, "fs.read");
  expect(read).toMatchObject([{ content: "needle\n" }, { content: "old\nmore\n" }, { error: { code: "NOT_FOUND" } }]);
  const [listed] = (await outputs(workspace, result.session_id, "fs.list")) as { entries: { path: string }[] }[];
  expect(listed?.entries.map(({ path }) => path)).toEqual(["notes/new", "notes/new/a.md", "notes/old.md"]);
  const [found] = (await outputs(workspace, result.session_id, "fs.search")) as { matches: { path: string }[] }[];
  expect(found?.matches.map(({ path }) => path).filter((path) => path.startsWith("notes/"))).toEqual([
    "notes/new/a.md",
    "notes/old.md",
  ]);
  expect(await outputs(workspace, result.session_id, "sources.search")).toMatchObject([
    { passages: [{ source: "notes/new/a.md", text: expect.stringContaining("needle") }] },
  ]);
  const ran = await outputs(workspace, result.session_id, "exec");
  expect(ran).toMatchObject([
    { stdout: "needle\n" },
    { stdout: "notes:\nnew\nold.md\n\nnotes/new:\na.md\nold\nmore\n" },
  ]);
  expect(await workspace.read("notes/old.md")).toBe("old\n");
  expect(await workspace.read("notes/gone.md")).toBe("gone\n");
  expect(existsSync(join(workspace.root, "notes/new"))).toBe(false);
});

const refused = { acceptance: { tests: ["false"], checks: [] } };
const both = script([write("notes/a.md", "one\n"), write("notes/b.md", "two\n")]);

test("work that was not accepted leaves the workspace untouched and waits in quarantine, released by a person", async () => {
  await using workspace = await testWorkspace({ rules: both });
  const result = await flow(workspace, refused);
  expect(result).toMatchObject({
    status: "failure",
    error_code: "ACCEPTANCE_FAILED",
    quarantine_id: result.session_id,
  });
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
  const listed = JSON.parse((await at(workspace, "turn", "quarantine", "list", "--json")).text);
  expect(listed).toMatchObject({ turns: [{ turn_id: result.session_id, code: "ACCEPTANCE_FAILED", writes: 3 }] });
  const shown = await at(workspace, "turn", "quarantine", "show", result.session_id);
  expect(shown.text).toContain("notes/a.md");
  const story = await at(workspace, "session", "show", result.session_id);
  expect(story.text).toContain("not landed: waits in quarantine");
  expect(story.text).toContain("+++ b/notes/a.md");
  expect(story.text).toContain("+one");
  const { pending_writes } = JSON.parse((await at(workspace, "session", "show", result.session_id, "--json")).text);
  expect(pending_writes).toMatchObject({ state: "quarantine", writes: [{ path: "notes" }, { change: "create" }, {}] });
  const released = await at(workspace, "turn", "quarantine", "release", result.session_id);
  expect(released.status, released.errors).toBe(0);
  expect(await workspace.read("notes/a.md")).toBe("one\n");
  expect(await workspace.read("notes/b.md")).toBe("two\n");
  expect(JSON.parse((await at(workspace, "turn", "quarantine", "list", "--json")).text)).toEqual({ turns: [] });
  expect((await at(workspace, "session", "show", result.session_id)).text).not.toContain("not landed");
  expect(await typesOf(workspace, result.session_id)).toContain("order.quarantined");
  expect((await workspace.runtime.verifySession(result.session_id)).violations).toEqual([]);
});

test("it is dropped by a person, and a question about it stands in the inbox until then", async () => {
  await using workspace = await testWorkspace({ rules: both });
  const result = await flow(workspace, refused);
  const inbox = JSON.parse((await at(workspace, "inbox", "--json")).text) as { approvals: { kind: string }[] };
  expect(inbox.approvals).toMatchObject([{ kind: "quarantined_turn", session_id: result.session_id }]);
  expect((await at(workspace, "turn", "quarantine", "drop", result.session_id)).status).toBe(0);
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
  expect(JSON.parse((await at(workspace, "turn", "quarantine", "list", "--json")).text)).toEqual({ turns: [] });
  expect(JSON.parse((await at(workspace, "inbox", "--json")).text)).toMatchObject({ approvals: [] });
});

test("a review that does not pass lands nothing", async () => {
  await using workspace = await testWorkspace({
    config: { limits: { rework_rounds: 0 } },
    rules: [
      {
        when: { role: "lead" },
        respond: { json: { objective: "write", steps: [{ id: "s1", task: "write a note" }] } },
      },
      { when: { role: "worker", call: 1 }, respond: { tool_calls: [write("notes/a.md", "one\n")] } },
      {
        when: { role: "worker" },
        respond: { json: { step_id: "s1", status: "done", output: "written", artifacts: [] } },
      },
      { when: { role: "reviewer" }, respond: { json: { verdict: "fail", feedback: "no", findings: [] } } },
    ],
  });
  const result = await flow(workspace, { type: "plan-work-review" });
  expect(result.status).toBe("failure");
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
});

test("a file that changed meanwhile is a conflict: nothing of the order lands, and all of it waits", async () => {
  await using workspace = await testWorkspace({ rules: both, files: { "notes/.keep": "" } });
  let changed = false;
  const result = await workspace.order(rights, {
    onEvent: ({ type }) => {
      if (type !== "acceptance.checked" || changed) return;
      changed = true;
      writeFileSync(join(workspace.root, "notes/b.md"), "a person's\n");
    },
  });
  expect(result).toMatchObject({ status: "failure", error_code: "WRITE_CONFLICT", quarantine_id: result.session_id });
  expect(result.error).toContain("notes/b.md was changed by someone else since the order first changed it");
  expect(existsSync(join(workspace.root, "notes/a.md"))).toBe(false);
  expect(await workspace.read("notes/b.md")).toBe("a person's\n");
  const released = await at(workspace, "turn", "quarantine", "release", result.session_id ?? "");
  expect(released.status, released.errors).toBe(0);
  expect(await workspace.read("notes/b.md")).toBe("two\n");
});

test("an order that asks for landing: each_turn lands with every turn, and its evidence says so", async () => {
  await using workspace = await testWorkspace({ rules: both });
  const result = await flow(workspace, { ...refused, schema_version: "v2", landing: "each_turn" });
  expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
  expect(result.quarantine_id).toBeUndefined();
  expect(await workspace.read("notes/a.md")).toBe("one\n");
  const events = await workspace.events(result.session_id);
  const landings = events.flatMap((event) =>
    event.type === "turn.committed" && event.payload.outputs.length > 0 ? [event.payload.landing] : [],
  );
  expect(landings).toEqual(["each_turn", "each_turn"]);
});

test("a halted order leaves its writes in quarantine, and has them again when it goes on", async () => {
  await using workspace = await testWorkspace({
    rules: script([write("notes/a.md", "one\n")], [call("fs.read", { path: "notes/a.md" })]),
  });
  const stopped = await workspace.order(rights, {
    onEvent: ({ type, session_id }) => {
      if (type === "turn.committed") void workspace.runtime.halt(session_id as SessionId, "enough");
    },
  });
  expect(stopped).toMatchObject({ error_code: "HALTED", quarantine_id: stopped.session_id });
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
  await workspace.runtime.liftHalt();
  await workspace.reopen();
  const resumed = await workspace.runtime.resumeSession(stopped.session_id as SessionId);
  expect(resumed).toMatchObject({ ok: true, value: { status: "success" } });
  expect(await workspace.read("notes/a.md")).toBe("one\n");
  expect((await workspace.runtime.verifySession(stopped.session_id as SessionId)).violations).toEqual([]);
});

test("what a person took out of quarantine meanwhile is not there when the halted order goes on, and it says so", async () => {
  await using workspace = await testWorkspace({ rules: script([write("notes/a.md", "one\n")], []) });
  const stopped = await workspace.order(rights, {
    onEvent: ({ type, session_id }) => {
      if (type === "turn.committed") void workspace.runtime.halt(session_id as SessionId, "enough");
    },
  });
  await workspace.runtime.liftHalt();
  expect((await at(workspace, "turn", "quarantine", "drop", stopped.session_id ?? "")).status).toBe(0);
  const resumed = await workspace.runtime.resumeSession(stopped.session_id as SessionId);
  expect(resumed).toMatchObject({ ok: true, value: { status: "failure", error_code: "WRITE_CONFLICT" } });
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
});

const features = {
  multi_step_enabled: true,
  aperture_enabled: false,
  delegation_enabled: true,
  recovery_enabled: false,
};

test("a child's layer lands in its parent's: the parent sees it, and nothing is in the workspace before the parent is accepted", async () => {
  await using workspace = await testWorkspace({
    config: { v2_features: features },
    rules: [
      { when: { prompt: "^part$", call: 1 }, respond: { tool_calls: [write("notes/part.md", "a part\n")] } },
      { when: { prompt: "^part$" }, respond: { text: "written" } },
      { when: { call: 1 }, respond: { json: { tasks: ["part"] } } },
      { when: { call: 2 }, respond: { tool_calls: [call("fs.read", { path: "notes/part.md" })] } },
      { respond: { text: "all of it" } },
    ],
  });
  const order = { type: "decompose", plane_id: "ho2", input: { prompt: "take it apart" }, ...rights };
  const failed = await workspace.order({ ...order, ...refused });
  expect(failed).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
  expect(existsSync(join(workspace.root, "notes"))).toBe(false);
  expect(await outputs(workspace, failed.session_id ?? "", "fs.read")).toMatchObject([{ content: "a part\n" }]);
  const made = (await workspace.events(failed.session_id)).find((event) => event.type === "delegation.made");
  const child = await workspace.events(made?.payload.child_session_id);
  expect(child.find((event) => event.type === "order.landed")?.payload).toMatchObject({ into: failed.session_id });

  const result = await workspace.order(order);
  expect(result).toMatchObject({ status: "success" });
  expect(await workspace.read("notes/part.md")).toBe("a part\n");
  expect(await layersOf(workspace)).toEqual([]);
});

test("with recovery on, what a failed order wrote is kept or dropped as recovery.keep_partial says", async () => {
  for (const keep_partial of [true, false]) {
    await using workspace = await testWorkspace({
      rules: both,
      config: {
        v2_features: { ...features, recovery_enabled: true },
        recovery: { max_retries: 0, keep_partial },
      },
    });
    const result = await flow(workspace, refused);
    const decided = (await workspace.events(result.session_id)).find((event) => event.type === "recovery.decided");
    expect(decided?.payload).toMatchObject({ decision: keep_partial ? "quarantine" : "discard" });
    expect(result.quarantine_id).toBe(keep_partial ? result.session_id : undefined);
    expect(existsSync(join(workspace.root, "notes"))).toBe(false);
    expect(await layersOf(workspace)).toEqual([]);
    expect(await readdir(join(workspace.root, "planes/hot/turns/quarantine"))).toHaveLength(keep_partial ? 1 : 0);
  }
});

test("a fork of work that was not accepted has the writes of the past that it shares", async () => {
  await using workspace = await testWorkspace({
    files: { "gate.txt": "closed\n" },
    rules: script([write("notes/a.md", "one\n")], [write("notes/b.md", "two\n")]),
  });
  const scope = { ...rights.scope, read_files: ["gate.txt"] };
  const both = { name: "both files", expression: "counts.files == 2" };
  const acceptance = { tests: ["grep -q open gate.txt"], checks: [both] };
  const failed = await workspace.order({ ...rights, scope, acceptance, schema_version: "v2" });
  expect(failed).toMatchObject({ status: "failure" });
  await workspace.write("gate.txt", "open\n");
  const events = await workspace.events(failed.session_id);
  const first = events.findIndex(({ type }) => type === "tool.output");
  const forked = await workspace.runtime.forkSession(failed.session_id as SessionId, { at: first + 1 });
  expect(forked).toMatchObject({ ok: true, value: { status: "success" } });
  expect(await workspace.read("notes/a.md")).toBe("one\n");
  expect(await workspace.read("notes/b.md")).toBe("two\n");
});

test("a folder and a file do not change places within one order", async () => {
  await using workspace = await testWorkspace({
    files: { "notes/x/y": "in a folder\n" },
    rules: script(
      [call("exec", { command: ["rm", "-r", "notes/x"] })],
      [call("exec", { command: ["sh", "-c", "echo a file >notes/x"] })],
    ),
  });
  const result = await flow(workspace, {});
  expect(result).toMatchObject({ status: "success" });
  expect(await outputs(workspace, result.session_id, "exec")).toMatchObject([
    { exit_code: 0 },
    { error: { code: "CAPABILITY_VIOLATION" } },
  ]);
  expect(existsSync(join(workspace.root, "notes/x"))).toBe(false);
});

test("the API shows what has not landed as a difference against the workspace", async () => {
  await using api = await testServer({
    files: { "notes/a.md": "old\n" },
    rules: script([call("exec", { command: ["sh", "-c", "echo new >notes/a.md"] })]),
  });
  const order = workOrder({ ...rights, ...refused });
  const done = await api.post("/api/v1/flows", { work_order: order }, { prefer: "wait=30" });
  expect(done.json).toMatchObject({ status: "failure" });
  const shown = await api.get(`/api/v1/sessions/${done.json.session_id}`);
  expect(shown.json.pending_writes).toMatchObject({
    state: "quarantine",
    writes: [{ path: "notes/a.md", change: "change", difference: expect.stringContaining("-old\n+new\n") }],
  });
});
