// Seed 000's extension points, tests 37 to 40 by number and name, and what they do when they are switched on.
import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { type SessionId } from "#core/values";
import { type Event, type EventType } from "#log";
import { type StepStrategy } from "#work";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { firstOf } from "../../src/log/narrow-event.ts";
import { createSubOrder } from "../../src/work/delegation/create-sub-order.ts";
import { createAperture } from "../../src/work/flow/aperture.ts";
import { decideRecovery } from "../../src/work/flow/recovery.ts";
import { singleStepStrategy } from "../../src/work/strategies/step-strategy.ts";
import { cli } from "../support/fresh-cli.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const payload = <T extends EventType>(events: readonly Event[], type: T): Event<T>["payload"] => {
  const found = firstOf(events, type);
  if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type).join(", ")}`);
  return found.payload;
};
describe("v2 extension points", () => {
  const parent = (tier: string) =>
    ({
      tier,
      agent_class: "RESIDENT",
      budget_limits: { token_limit: 100, turn_limit: 5, timeout_seconds: 60 },
      work_order: { ...workOrder(), tool_permissions: ["echo", "fs.*"], scope: { allowed_files: ["notes/**"] } },
    }) as never;
  const deps = (delegation_enabled: boolean) =>
    ({ clock: manualClock(), config: { v2_features: { delegation_enabled } } }) as never;
  const task = (changes: object = {}) => ({ prompt: "part", budget: { token_limit: 10, turn_limit: 1 }, ...changes });

  const limits = { max_parts: 8, kept_share: 0.5 };

  test("37. test_single_step_strategy", () => {
    expect(singleStepStrategy.nextStep(parent("ho1"), [], limits)).toEqual({ type: "send_prompt" });
    expect(singleStepStrategy.nextStep(parent("ho1"), [{ type: "send_prompt", response: "x" }], limits)).toEqual({
      type: "complete",
    });
  });
  test("38. test_aperture_always_closed_v1", () => {
    const closed = createAperture(false, [{ to: "closing", after_steps: 0 }]);
    expect(closed.state).toBe("closed");
    expect(closed.shouldTransition(100, 0)).toBeNull();
  });
  test("39. test_delegation_not_implemented_v1", () => {
    expect(createSubOrder(deps(false), parent("ho2"), task(), "WO-20261115-001")).toMatchObject({
      ok: false,
      error: { code: "FEATURE_DISABLED" },
    });
  });
  test("40. test_recovery_discards_v1", () => {
    const failure = { error: domainError("PROVIDER_ERROR", "down"), partialResults: 3, attempt: 1 };
    expect(decideRecovery(false, { max_retries: 9, keep_partial: true }, failure)).toBe("discard");
  });

  test("the aperture only ever narrows, by the rules of the configuration", () => {
    const aperture = createAperture(true, [
      { to: "closing", after_steps: 2, budget_below: 0.5 },
      { to: "closed", budget_below: 0.2 },
    ]);
    expect(aperture.state).toBe("open");
    expect(aperture.shouldTransition(1, 0.9)).toBeNull();
    expect(aperture.shouldTransition(1, 0.4)).toBe("closing");
    expect(aperture.shouldTransition(0, 0.1)).toBe("closed");
    aperture.transition("closed");
    expect(aperture.shouldTransition(9, 0.4)).toBeNull();
  });

  test("delegation hands down scope, tools and tier, and never more than the parent has", () => {
    expect(createSubOrder(deps(true), parent("ho2"), task({ tools: ["fs.read"] }), "WO-20261115-002")).toMatchObject({
      ok: true,
      value: { plane_id: "ho1", tool_permissions: ["fs.read"], scope: { allowed_files: ["notes/**"] } },
    });
    for (const wider of [
      { tools: ["exec"] },
      { tools: ["*"] },
      { allowed_files: ["**"] },
      { allowed_files: ["src/x.ts"] },
    ])
      expect(createSubOrder(deps(true), parent("ho2"), task(wider), "WO-20261115-003")).toMatchObject({
        ok: false,
        error: { code: "NOT_AUTHORIZED" },
      });
    expect(createSubOrder(deps(true), parent("ho1"), task(), "WO-20261115-004")).toMatchObject({
      ok: false,
      error: { code: "NOT_AUTHORIZED" },
    });
  });

  test("recovery tries again what may pass, and keeps partial work for a person otherwise", () => {
    const rules = { max_retries: 1, keep_partial: true };
    const failed = (retryable: boolean, attempt: number, partialResults: number) =>
      decideRecovery(true, rules, {
        error: domainError("PROVIDER_ERROR", "x", { retryable }),
        attempt,
        partialResults,
      });
    expect([failed(true, 1, 0), failed(true, 2, 2), failed(false, 1, 2), failed(false, 1, 0)]).toEqual([
      "retry",
      "quarantine",
      "quarantine",
      "discard",
    ]);
  });
});

describe("v2, switched on", () => {
  const features = {
    multi_step_enabled: true,
    aperture_enabled: true,
    delegation_enabled: true,
    recovery_enabled: true,
  };
  const parts = [
    {
      when: { prompt: "^(apples|pears)$" },
      respond: { text: "about ${prompt}", usage: { input_tokens: 10, output_tokens: 10 } },
    },
    {
      when: { prompt: "compare", call: 1 },
      respond: { json: { tasks: ["apples", "pears"] }, usage: { input_tokens: 50, output_tokens: 20 } },
    },
    {
      when: { prompt: "compare", call: 2 },
      respond: { text: "apples and pears, compared", usage: { input_tokens: 60, output_tokens: 20 } },
    },
  ];
  const decompose = {
    type: "decompose",
    plane_id: "ho2",
    input: { prompt: "compare apples and pears" },
    budget: { token_limit: 4_000, turn_limit: 10, timeout_seconds: 30 },
  };

  test("an order of HO2 is taken apart, handed down to HO1 at once, and put together", async () => {
    const prices = { "scripted-1": { input_per_million: 1_000, output_per_million: 10_000 } };
    await using big = await testWorkspace({
      rules: parts,
      config: { v2_features: features, max_concurrent_flows: 1, prices, max_output_tokens: 100 },
    });
    const result = await big.order({ ...decompose, budget: { ...decompose.budget, usd_limit: 40 } });
    expect(result).toMatchObject({ status: "success", response: "apples and pears, compared" });
    expect(result.child_work_order_ids).toHaveLength(2);
    const events = await big.events(result.session_id);
    const ended = events
      .filter((event) => event.type === "delegation.ended")
      .map((event) => event.payload as { child_session_id: string; status: string });
    expect(ended.map(({ status }) => status)).toEqual(["success", "success"]);
    const handed = events.map((event) => event.type).filter((type) => type.startsWith("delegation."));
    expect(handed).toEqual(["delegation.made", "delegation.made", "delegation.ended", "delegation.ended"]); // at once
    for (const { child_session_id } of ended) {
      const child = await big.events(child_session_id);
      expect(payload(child, "session.start")).toMatchObject({
        parent_session_id: result.session_id,
        parent_kind: "child",
        tier: "ho1",
      });
    }
    expect(events.map((event) => event.type)).toContain("aperture.changed");
    // What the order cost is what its tree cost: 50 + 60 in and 20 + 20 out of its own, 10 and 10 of each child.
    const tree = { tokens_used: { input: 130, output: 60 }, usd: expect.closeTo(0.13 + 0.6, 9) };
    expect(result).toMatchObject(tree);
    expect(payload(events, "wo.completed")).toMatchObject(tree);
    expect(payload(events, "delegation.ended")).toMatchObject({ tokens_used: { input: 10, output: 10 } });
    const shown = (await cli(big.root, "session", "show", result.session_id ?? "")).text;
    expect(shown).toMatch(/190 tokens.*\$0\.73/);
    expect(shown).toMatch(/2 orders below +20 +20 +\$0\.22/);
    expect(shown).toMatch(/all +130 +60 +\$0\.73/);
    expect((await cli(big.root, "session", "replay", result.session_id ?? "")).text).toMatch(/2 orders: 20 in, 20 out/);

    // A fork has its parent's children too: their answers are read, and nobody is asked again.
    const forked = await big.runtime.forkSession(result.session_id as SessionId, { at: events.length });
    if (!forked.ok) throw new Error(forked.error.message);
    expect(forked.value).toMatchObject({ status: "success", response: result.response, usd: 0 });
    const again = (await big.events(forked.value.session_id)).filter((event) => event.type === "delegation.ended");
    expect(again.map((event) => (event.payload as { child_session_id: string }).child_session_id)).toEqual(
      ended.map(({ child_session_id }) => child_session_id),
    );
  });

  test("with the flags off an order that names a strategy is refused by name, and an ordinary one is one prompt", async () => {
    await using plain = await testWorkspace({ rules: parts });
    expect(await plain.order(decompose)).toMatchObject({
      status: "rejected",
      error_code: "FEATURE_DISABLED",
      tokens_used: null,
    });
    const result = await plain.order({ ...decompose, type: "answer" });
    expect(result.response).toBe('{"tasks":["apples","pears"]}');
    expect(result.child_work_order_ids).toBeUndefined();
  });

  test("a part that failed is not a success, and nothing is paid for putting it together", async () => {
    const [, ask, join] = parts;
    const broken = [
      {
        when: { prompt: "^apples$" },
        respond: { text: "about apples", usage: { input_tokens: 10, output_tokens: 10 } },
      },
      { when: { prompt: "^pears$" }, respond: { error: { status: 400 } } },
    ];
    await using half = await testWorkspace({
      rules: [...broken, ask, join] as object[],
      config: { v2_features: features },
    });
    const result = await half.order(decompose);
    expect(result).toMatchObject({ status: "failure", error_code: "PART_FAILED" });
    expect(result.error).toContain("1 of 2 parts failed");
    const events = await half.events(result.session_id);
    expect(events.filter((event) => event.type === "llm.request")).toHaveLength(1);
  });

  test("how many parts an order is taken apart into, and what it keeps, is configuration", async () => {
    await using small = await testWorkspace({
      rules: parts,
      config: { v2_features: features, decompose: { max_parts: 1, kept_share: 0.9 } },
    });
    const result = await small.order(decompose);
    expect(result.child_work_order_ids).toHaveLength(1);
    const made = payload(await small.events(result.session_id), "delegation.made");
    expect(made.budget).toMatchObject({ token_limit: Math.floor(4_000 * (1 - 0.9)) });
  });

  test("delegation that is switched off is refused by name", async () => {
    await using half = await testWorkspace({
      rules: parts,
      config: { v2_features: { ...features, delegation_enabled: false } },
    });
    expect(await half.order(decompose)).toMatchObject({ error_code: "FEATURE_DISABLED" });
  });

  test("a failure that may pass is tried again, and the log says so", async () => {
    await using shaky = await testWorkspace({
      rules: [{ respond: { error: { status: 503, retryable: true }, times: 1 } }, { respond: { text: "recovered" } }],
      config: { v2_features: features, retries: { attempts: 1 } }, // the adapter's own retries would mend it first
    });
    const result = await shaky.order({ budget: { token_limit: 20_000, turn_limit: 5 } });
    expect(result).toMatchObject({ status: "success", response: "recovered" });
    expect(payload(await shaky.events(result.session_id), "recovery.decided")).toMatchObject({
      decision: "retry",
      attempt: 1,
    });
  });

  const threeTimes: StepStrategy = {
    nextStep: (_, history) =>
      history.length < 3 ? { type: "send_prompt", prompt: `round ${history.length + 1}` } : { type: "complete" },
  };
  const budget = { token_limit: 20_000, turn_limit: 5, timeout_seconds: 30 };

  test("the aperture chooses the template of each step, and what was narrowed stays narrow", async () => {
    await using narrowing = await testWorkspace({
      strategies: { rounds: threeTimes },
      rules: [{ respond: { text: "fine" } }],
      files: { "AGENTS.md": "Be brief." },
      config: {
        v2_features: features,
        aperture: [
          { to: "closing", after_steps: 0 },
          { to: "closed", after_steps: 1 },
        ],
      },
    });
    const result = await narrowing.order({ type: "rounds", budget });
    expect(result).toMatchObject({ status: "success", response: "fine" });
    const events = await narrowing.events(result.session_id);
    const contexts = events.flatMap((event) => (event.type === "attention.assembled" ? [event.payload] : []));
    expect(contexts.map(({ template_id, aperture }) => [template_id, aperture])).toEqual([
      ["ATT-OPEN-001", "open"],
      ["ATT-CLOSING-001", "closing"],
      ["ATT-GENERAL-001", "closed"],
    ]);
    const [, closing, closed] = contexts.map(({ context_hash }) => context_hash);
    expect(new Set([closing, closed]).size).toBe(2);
    const asked = events.flatMap((event) => (event.type === "llm.request" ? [event.payload.context_hash] : []));
    expect(asked).toEqual([closing, closed, closed]);
    expect((await narrowing.runtime.verifySession(result.session_id as SessionId)).violations).toEqual([]);
  });

  test("a failure that stays keeps the partial results aside, and the log holds them", async () => {
    await using broken = await testWorkspace({
      strategies: { rounds: threeTimes },
      rules: [
        { when: { call: 1 }, respond: { text: "the first third" } },
        { respond: { error: { status: 400, retryable: false } } },
      ],
      config: { v2_features: features },
    });
    const result = await broken.order({ type: "rounds", budget });
    expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR", response: null });
    expect(payload(await broken.events(result.session_id), "recovery.decided")).toMatchObject({
      decision: "quarantine",
      attempt: 1,
      partial: ["the first third"],
    });
  });
});
