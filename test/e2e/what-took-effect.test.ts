// A result says what took effect, from the record: an answer that claims more is seen at once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "#core/values";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const rights = {
  tool_permissions: ["fs.read", "fs.write"],
  scope: { allowed_files: ["notes/**"] },
  budget: { token_limit: 50_000, turn_limit: 8, timeout_seconds: 60 },
};
const write = (path: string, content: string, expected_hash = "") => ({
  name: "fs.write",
  args: { path, content, expected_hash, why: "the test says so" },
});
/** A model that makes these calls in one answer, and then claims that all is well. */
const claims = (...tool_calls: readonly object[]) => [
  ...(tool_calls.length === 0 ? [] : [{ when: { call: 1 }, respond: { tool_calls } }]),
  { respond: { text: "I fixed the bug in notes/a.md; all tests pass." } },
];

async function run(workspace: TestWorkspace, changes: object) {
  const order = workOrder({ ...rights, ...changes });
  return workspace.runtime.runFlow({ work_order: { ...order }, caller_id: workspace.runtime.caller });
}

test("an answer without an act is told from an act, on the screen and in --json", async () => {
  await using workspace = await testWorkspace({ rules: claims(), files: { "notes/a.md": "bug\n" } });
  await workspace.runtime.close();
  const { text } = await cli(workspace.root, "run", "fix the bug in notes/a.md");
  expect(text).toMatch(/all tests pass\.\n\ndone in [^\n]+\nchanged no file . called no tool\n/);
  const { text: json } = await cli(workspace.root, "run", "fix the bug in notes/a.md", "--json");
  expect(JSON.parse(json).did).toMatchObject({ files: [], tool_calls: {}, counts: { refused_tool_calls: 0 } });
  expect(readFileSync(join(workspace.root, "notes/a.md"), "utf8")).toBe("bug\n");
});

test.each(["whole", "each_turn"])("files that landed stand in the result: landing %s", async (landing) => {
  await using workspace = await testWorkspace({
    files: { "notes/a.md": "bug\n", "notes/b.md": "same\n" },
    rules: claims(
      write("notes/a.md", "fix\n", sha256("bug\n")),
      write("notes/c.md", "new\n"),
      write("etc/d.md", "no\n"),
    ),
  });
  const result = await run(workspace, { schema_version: "v2", landing });
  expect(result.did).toEqual({
    files: [
      { path: "notes/a.md", change: "change", sha256: sha256("fix\n"), bytes: 4 },
      { path: "notes/c.md", change: "create", sha256: sha256("new\n"), bytes: 4 },
    ],
    tool_calls: { "fs.write": 2 },
    counts: { failed_tool_calls: 0, refused_tool_calls: 1, model_calls: 2 },
  });
});

test("what did not land has not taken effect, and a record that is read again says the same", async () => {
  await using workspace = await testWorkspace({ rules: claims(write("notes/c.md", "new\n")) });
  const order = workOrder({ ...rights, acceptance: { tests: ["false"] } });
  const request = { work_order: { ...order }, caller_id: workspace.runtime.caller };
  const result = await workspace.runtime.runFlow(request);
  expect(result).toMatchObject({ error_code: "ACCEPTANCE_FAILED", did: { files: [], tool_calls: { "fs.write": 1 } } });
  const again = await workspace.runtime.runFlow(request);
  expect(again).toMatchObject({ deduplicated: true, did: result.did });
});

test("an order that never began to act did nothing that could be told", async () => {
  await using workspace = await testWorkspace({ rules: claims() });
  const result = await run(workspace, { framework_id: "FMWK-NOT-HERE" });
  expect(result.status).toBe("rejected");
  expect(result.did).toBeUndefined();
});
