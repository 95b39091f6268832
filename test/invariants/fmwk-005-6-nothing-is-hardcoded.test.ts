// FMWK-005: Timeouts, budget defaults, and retry counts MUST NOT be hardcoded.
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

test("budget defaults come from the configuration", async () => {
  await using workspace = await testWorkspace({
    config: { budget: { token_limit: 4_321, turn_limit: 7, timeout_seconds: 9, usd_limit: 0.25 } },
  });
  const { session_id } = await workspace.order({ budget: undefined });
  const started = (await workspace.events(session_id)).find((event) => event.type === "wo.started");
  expect(started?.payload).toMatchObject({
    budget_scope: { token_limit: 4_321, turn_limit: 7, timeout_seconds: 9, usd_limit: 0.25 },
  });
});

test("the time limit of a model call comes from the configuration", async () => {
  await using workspace = await testWorkspace({
    rules: [{ respond: { text: "late", delay_ms: 30_000 } }],
    config: { limits: { model_call_timeout_seconds: 1 } },
  });
  expect(await workspace.order()).toMatchObject({ status: "timeout", error_code: "PROVIDER_TIMEOUT" });
});

test("rounds of rework come from the configuration", async () => {
  const rules = [
    { when: { role: "reviewer" }, respond: { json: { verdict: "fail", feedback: "no", schema_version: "v1" } } },
  ];
  await using workspace = await testWorkspace({ rules, config: { limits: { rework_rounds: 0 } } });
  const { session_id } = await workspace.ask("greet Ada");
  expect((await workspace.events(session_id)).filter((event) => event.type === "review.result")).toHaveLength(1);
});

test("the circuit's threshold comes from the configuration", async () => {
  await using workspace = await testWorkspace({
    rules: [{ respond: { error: { status: 500 } } }],
    config: { circuit_breaker: { failure_threshold: 2, recovery_seconds: 600 } },
  });
  const codes = [];
  for (let turn = 0; turn < 3; turn++) codes.push((await workspace.order()).error_code);
  expect(codes).toEqual(["PROVIDER_ERROR", "PROVIDER_ERROR", "CIRCUIT_OPEN"]);
});
