// The commands over stopped sessions, as a person or a script would type them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { built } from "../support/built.ts";
import { writ, writJson } from "../support/resident-writ.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

let workspace: TestWorkspace;
let first: string;
beforeAll(async () => {
  built();
  workspace = await testWorkspace();
  first = (await workspace.ask("greet Ada")).session_id ?? "";
  await workspace.runtime.close();
});
afterAll(() => workspace[Symbol.asyncDispose]());
const run = (...args: string[]) => writ(args, { cwd: workspace.root });

test("a halt of everything refuses requests with status 3 until it is lifted", async () => {
  expect(await run("halt")).toMatchObject({ status: 0, stdout: "no halt stands\n" });
  expect((await run("halt", "--all", "--reason", "fire drill")).status).toBe(0);
  const refused = await run("run", "greet Bob");
  expect(refused.status).toBe(3);
  expect(refused.stdout + refused.stderr).toContain("fire drill");
  expect(refused.stdout).toContain("end them: writ halt --lift");
  expect((await run("session", "resume", first)).status).toBe(3);
  expect((await run("halt", "--lift")).status).toBe(0);
  expect((await run("run", "greet Bob")).status).toBe(0);
});

test("a session that has ended says so, and how to go on from it", async () => {
  const { status, stderr } = await run("session", "resume", first);
  expect(status).toBe(1);
  expect(stderr).toContain("nothing left to resume");
});

test("the record of an act says what it is, and that nothing goes on from it", async () => {
  const plane = join(workspace.root, "planes", "hot", "sessions");
  const record = readdirSync(plane).find((id) =>
    readFileSync(join(plane, id, ".events.jsonl"), "utf8").includes('"work_order_id":"halt"'),
  );
  const { status, stderr } = await run("session", "resume", record ?? "");
  expect(status).toBe(2);
  expect(stderr).toContain("is a record of the workspace (halt), not a request");
  expect(stderr).not.toContain("LAW_CHANGED");
});

test("a fork and its parent differ in nothing but their cost, and diff says so in a terminal and in JSON", async () => {
  expect((await run("session", "fork", first, "--at", "1000")).status).toBe(2); // there is no such event
  const shown = await writJson<{ event_count: number }>(["session", "replay", first, "--json"], {
    cwd: workspace.root,
  });
  const fork = await writJson<{ session_id: string; status: string }>(
    ["session", "fork", first, "--at", String(shown.json.event_count), "--json"],
    { cwd: workspace.root },
  );
  expect(fork).toMatchObject({ status: 0, json: { status: "success" } });
  const diff = await writJson<{ same: boolean; steps: { state: string }[] }>(
    ["session", "diff", first, fork.json.session_id, "--json"],
    { cwd: workspace.root },
  );
  expect(diff.json.same).toBe(true);
  expect(diff.json.steps.length).toBeGreaterThan(5);
  expect((await run("session", "diff", first, fork.json.session_id)).stdout).toContain("no difference");
});

test("a fork with an edited message goes on from what the file says", async () => {
  const { json } = await writJson<{ events: { seq: number; type: string; payload: { role?: string } }[] }>(
    ["session", "events", first, "--type", "llm.response", "--json"],
    { cwd: workspace.root },
  );
  const at = json.events.findLast(({ payload }) => payload.role === "worker")?.seq ?? 0;
  const edited = { output: "Hello, Eve", steps_completed: ["s1"], schema_version: "v1" };
  await workspace.write("answer.json", JSON.stringify(edited));
  const fork = await writJson<{ status: string; response: string; parent_session_id: string }>(
    ["session", "fork", first, "--at", String(at), "--edit", "answer.json", "--json"],
    { cwd: workspace.root },
  );
  expect(fork).toMatchObject({ status: 0, json: { response: "Hello, Eve", parent_session_id: first } });
  expect((await run("session", "fork", first, "--at", String(at), "--edit", "gone.json")).status).toBe(2);
});

test("resolve wants to know which of the two it was, and a call that is in doubt", async () => {
  expect((await run("session", "resolve", first, "c1")).status).toBe(2);
  expect(await run("session", "resolve", first, "c1", "--done")).toMatchObject({ status: 2 });
});
