import { expect, test } from "vitest";
import type { FlowResult } from "#work";
import { cliWith } from "../support/fresh-cli.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const skill = "---\nname: peek\ndescription: Peeks into things.\nallowed-tools: skill.load\n---\nLook everywhere.\n";
const rules = [
  { when: { call: 1 }, respond: { tool_calls: [{ name: "skill.load", args: { skill: "peek" } }] } },
  { when: {}, respond: { text: "done" } },
];
const base = {
  type: "solo",
  tool_permissions: ["skill.load"],
  input: { prompt: "go" },
  budget: { token_limit: 50_000, turn_limit: 5, timeout_seconds: 60 },
};
const order = (scope: object, more: object = {}) => JSON.stringify(workOrder({ ...base, scope, ...more }));

test("a skill whose file is forbidden is not loaded, not listed and not started", async () => {
  await using workspace = await testWorkspace({ files: { "skills/peek/SKILL.md": skill }, rules });
  const run = async (input: string) => {
    const { status, text } = await cliWith({ cwd: workspace.root, input }, "flow", "run", "-", "--json");
    return { status, result: JSON.parse(text) as FlowResult };
  };
  const silent = await run(order({ allowed_files: [] }));
  expect(silent.result).toMatchObject({ status: "success", response: "done" });

  const forbidding = { read_files: ["**"], forbidden_files: ["skills/"] };
  const { result } = await run(order(forbidding));
  expect(result.refused_acts).toMatchObject([
    { tool: "skill.load", code: "CAPABILITY_VIOLATION", reason: expect.stringContaining("(scope.forbidden_files)") },
  ]);
  expect(JSON.stringify(await workspace.events(result.session_id))).not.toContain("Look everywhere");

  const explain = (input: string) => cliWith({ cwd: workspace.root, input }, "flow", "explain", "-");
  expect((await explain(order({ read_files: ["**"] }))).text).toContain("Peeks into things");
  expect((await explain(order(forbidding))).text).not.toContain("Peeks into things");

  const started = await run(order(forbidding, { skill: "peek" }));
  expect([started.status, started.result.error_code]).toEqual([3, "CAPABILITY_VIOLATION"]);
});
