// FMWK-005: v2 extension points (multi-step, aperture, delegation, recovery) MUST be defined as interfaces.
import { expect, test } from "vitest";
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { type StepStrategy } from "#work";
import { createSubOrder } from "../../src/work/delegation/create-sub-order.ts";
import { createAperture } from "../../src/work/flow/aperture.ts";
import { decideRecovery } from "../../src/work/flow/recovery.ts";
import { singleStepStrategy } from "../../src/work/strategies/step-strategy.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

test("each is there, and is closed by default", async () => {
  await using workspace = await testWorkspace();
  expect(workspace.runtime.config.v2_features).toEqual({
    multi_step_enabled: false,
    aperture_enabled: false,
    delegation_enabled: false,
    recovery_enabled: false,
  });
  for (const point of [createAperture, createSubOrder, decideRecovery, singleStepStrategy.nextStep])
    expect(point).toBeTypeOf("function");
});

test("a strategy of one's own takes its place without a change to Writ", async () => {
  const twice: StepStrategy = {
    nextStep: (_, history) =>
      history.length < 2 ? { type: "send_prompt", prompt: `round ${history.length + 1}` } : { type: "complete" },
  };
  await using workspace = await testWorkspace({
    rules: [
      { when: { call: 1 }, respond: { text: "one" } },
      { when: { call: 2 }, respond: { text: "two" } },
    ],
    config: { v2_features: { multi_step_enabled: true } },
  });
  await workspace.runtime.close();
  const opened = await openRuntime({
    root: workspace.root,
    clock: systemClock,
    random: systemRandom,
    env: {},
    version: "test",
    strategies: { twice },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const work_order = workOrder({ type: "twice", budget: { token_limit: 10_000, turn_limit: 5 } });
  expect(await opened.value.runFlow({ work_order, caller_id: opened.value.caller })).toMatchObject({
    status: "success",
    response: "two",
  });
  await opened.value.close();
  await workspace.reopen();
});
