// Strategies that a framework brings as documents: chosen by id, from a package too, over every way in.
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { framework_id, frameworkWorkspace, manifestFile } from "../support/framework-workspace.ts";
import { cli } from "../support/fresh-cli.ts";
import { workOrder } from "../support/runtime-workspace.ts";
import { testServer } from "../support/server.ts";

const strategy_id = "STR-VIEWS-001";
const strategyFile = `frameworks/${framework_id}/strategies/${strategy_id}.yaml`;
const features = { multi_step_enabled: true, delegation_enabled: true };

/** Asks for points, has each looked at by an agent of its own, and puts them together unless there was one alone. */
const views = {
  strategy_id,
  version: "1.0.0",
  title: "Several views",
  steps: [
    { id: "points", prompt: "Name the points of {{subject}}." },
    { id: "views", delegate: { tasks: "steps.points.json.points", prompt: "look at {{task}}", share: 0.5 } },
    {
      id: "whole",
      when: "size(steps.views.answers) > 1",
      prompt: "put together: {{steps.views}}",
      repeat: { until: 'steps.whole.answer.startsWith("final")', at_most: 3 },
    },
  ],
  schema_version: "v1",
};
const usage = { input_tokens: 10, output_tokens: 10 };
const rules = [
  { when: { prompt: "weigh", call: 1 }, respond: { json: { points: ["cost", "risk"] }, usage } },
  { when: { prompt: "look at cost" }, respond: { text: "it costs", usage } },
  { when: { prompt: "look at risk" }, respond: { text: "it is risky", usage } },
  { when: { prompt: "weigh", call: 2 }, respond: { text: "a draft", usage } },
  { when: { prompt: "weigh", call: 3 }, respond: { text: "final: it costs and is risky", usage } },
];

const place = async (strategy: object = views, config: object = { v2_features: features }) => {
  const made = await frameworkWorkspace({ rules, config });
  made.edit(manifestFile, { plane_id: "ho2", strategies: [strategy_id] });
  made.write(strategyFile, stringify(strategy));
  return made;
};
const order = { type: strategy_id, plane_id: "ho2", input: { prompt: "weigh it", subject: "the move" } };

describe("a strategy of a framework", () => {
  test("is followed step by step: conditions over what came before, parts as orders of their own, rounds", async () => {
    const here = await place();
    await here.adopt();
    expect((await here.writ("framework", "show", framework_id)).stdout).toContain(
      `${strategy_id} Several views (steps points, views, whole; input subject)`,
    );
    const ran = await here.order(order);
    expect(ran.json.error).toBe(null);
    expect(ran).toMatchObject({ status: 0, json: { status: "success", response: "final: it costs and is risky" } });
    expect(ran.json.child_work_order_ids).toHaveLength(2);
    const events = await here.events(ran.json.session_id);
    const made = events.filter(({ type }) => type === "delegation.made").map(({ payload }) => payload["budget"]);
    expect(made).toMatchObject([{ token_limit: 5_000 }, { token_limit: 5_000 }]); // half of 20,000 for both
    const asked = events.filter(({ type }) => type === "llm.request");
    expect(asked).toHaveLength(3);
    expect(JSON.stringify(asked[1]?.payload["new_messages"])).toContain("Part 2:\\nit is risky");
    expect((await here.writ("session", "verify", ran.json.session_id ?? "")).status).toBe(0);

    const explained = await here.writ("flow", "explain", "order.yaml");
    expect(explained.stdout).toContain("Name the points of the move.");
  });

  test("is refused before anything is spent: switched off, unknown, or without a value for one of its names", async () => {
    const here = await place(views, { v2_features: { delegation_enabled: true } });
    await here.adopt();
    expect((await here.order(order)).json).toMatchObject({ error_code: "FEATURE_DISABLED", tokens_used: null });
    const unknown = await here.order({ ...order, type: "STR-VIEW-001" });
    expect(unknown.json).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID", tokens_used: null });
    expect(unknown.json.error).toContain(strategy_id);
    const nameless = await here.order({ ...order, input: { prompt: "go" } });
    expect(nameless.json).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID", tokens_used: null });
    expect(nameless.json.error).toContain("{{subject}}");
  });

  test("fails with a part that failed, unless that part may fail; and where it cannot go on", async () => {
    const failing = [
      rules[0],
      { when: { prompt: "look at cost" }, respond: { error: { code: "PROVIDER_ERROR", message: "gone" } } },
      rules[2],
      { when: { prompt: "weigh" }, respond: { text: "final: what is there", usage } },
    ];
    const run = async (changes: (step: (typeof views.steps)[number]) => object) => {
      const here = await place({ ...views, steps: views.steps.map((step) => ({ ...step, ...changes(step) })) });
      here.write("script.yaml", stringify({ rules: failing }));
      await here.adopt();
      return (await here.order(order)).json;
    };
    expect(await run(() => ({}))).toMatchObject({ status: "failure", error_code: "PART_FAILED" });
    const may_fail = { delegate: { ...views.steps[1]?.delegate, may_fail: true } };
    expect(await run(({ id }) => (id === "views" ? may_fail : {}))).toMatchObject({
      status: "success",
      response: "final: what is there",
    });
    const stuck = { delegate: { tasks: "steps.points.json.nothing" } };
    const denied = await run(({ id }) => (id === "views" ? stuck : {}));
    expect(denied).toMatchObject({ status: "failure", error_code: "GATE_DENIED" });
    expect(denied.error).toContain("steps.points.json.nothing");
  });

  test("that is unsound is named by `framework check`, and no order runs under it", async () => {
    const here = await place({ ...views, answer: "nothing" });
    const checked = await here.writ("framework", "check");
    expect(checked.status).toBe(1);
    expect(checked.stdout).toContain(`${strategyFile}: its answer is of no step: nothing`);
    const ran = await here.order(order);
    expect(ran).toMatchObject({ json: { status: "failure", error_code: "CONFIG_INVALID", tokens_used: null } });
  });

  test("that comes in a package is chosen by id over HTTP as at the command line", async () => {
    const author = await place();
    await using server = await testServer({ rules, config: { v2_features: features } });
    const { root } = server.workspace;
    for (const part of [`frameworks/${framework_id}`, `registries/${framework_id}`])
      cpSync(join(author.root, part), join(root, "desk", part), { recursive: true });
    const about = { package_id: "PKG-DESK-001", title: "Desk", version: "1.0.0", layer: 5, plane_id: "ho2" };
    const needs = { dependencies: [{ package_id: "PKG-FLOW-RUNNER-001" }] };
    const manifest = { ...about, spec_id: "SPEC-INVOICE-001", framework_id, ...needs };
    writeFileSync(join(root, "desk", "manifest.yaml"), stringify(manifest));
    for (const line of ["build desk --out desk.tar", "install desk.tar"])
      expect(await cli(root, "pkg", ...line.split(" "))).toMatchObject({ status: 0, errors: "" });
    const named = {
      ...order,
      framework_id,
      spec_id: "SPEC-INVOICE-001",
      budget: { token_limit: 9_000, turn_limit: 9 },
    };
    const work_order = { ...workOrder(named) };
    const done = await server.post("/api/v1/flows", { work_order }, { prefer: "wait=30" });
    expect(done.json).toMatchObject({ status: "success", response: "final: it costs and is risky" });
  });
});
