// FMWK-005: Budget enforcement MUST be mandatory — agents that exceed budget are stopped.
import { expect, test } from "vitest";
import { runChild } from "../support/child.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const endless = [
  {
    respond: {
      tool_calls: [{ name: "echo", args: { text: "again" } }],
      usage: { input_tokens: 100, output_tokens: 100 },
    },
  },
];

test.each([
  ["model calls", { token_limit: 1_000_000, turn_limit: 3 }, 3],
  ["tokens", { token_limit: 1_000, turn_limit: 100 }, 5],
])("an agent that never stops is stopped by its limit on %s", async (_, budget, most) => {
  await using workspace = await testWorkspace({
    rules: endless,
    config: { max_output_tokens: 100, limits: { tool_calls_per_step: 1_000 } },
  });
  const result = await workspace.order({ tool_permissions: ["echo"], budget });
  expect(result).toMatchObject({ status: "budget_exhausted", error_code: "BUDGET_EXHAUSTED" });
  const calls = (await workspace.events(result.session_id)).filter((event) => event.type === "llm.request");
  expect(calls.length).toBeLessThanOrEqual(most);
});

const share = { token_limit: 100, turn_limit: 1, timeout_seconds: 120 };
const spending = [{ respond: { text: "x", usage: { input_tokens: 60, output_tokens: 40 } } }];
const forAHundred = { workspace_budget: { token_limit: 10_000 }, max_output_tokens: 16 };

test("1,000 concurrent flows against a budget for 100: exactly the affordable ones run, and the sum holds", async () => {
  await using workspace = await testWorkspace({
    rules: spending,
    config: { ...forAHundred, max_concurrent_flows: 1_000 },
  });
  const results = await Promise.all(
    Array.from({ length: 1_000 }, () => workspace.order({ budget: share, input: { prompt: "x" } })),
  );
  const ran = results.filter((result) => result.status === "success");
  expect(ran).toHaveLength(100);
  expect(ran.reduce((sum, { tokens_used }) => sum + (tokens_used?.input ?? 0) + (tokens_used?.output ?? 0), 0)).toBe(
    10_000,
  );
  expect(
    results.filter((result) => result.status === "rejected" && result.error_code === "BUDGET_EXHAUSTED"),
  ).toHaveLength(900);
}, 180_000);

test("two processes hold to one limit together", async () => {
  await using workspace = await testWorkspace({
    rules: spending,
    config: { ...forAHundred, max_concurrent_flows: 64 },
  });
  await workspace.runtime.close();
  const orders = () => Array.from({ length: 150 }, () => workOrder({ budget: share, input: { prompt: "x" } }));
  const ends = await Promise.all(
    [1, 2].map(() => runChild("flow-child.mjs", { root: workspace.root, orders: orders(), concurrency: 16 })),
  );
  const results = ends.flatMap(({ stdout }) =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { status: string }),
  );
  await workspace.reopen();
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(results).toHaveLength(300);
  expect(results.filter(({ status }) => status === "success")).toHaveLength(100);
}, 180_000);
