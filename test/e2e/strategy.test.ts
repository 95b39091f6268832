// Which strategy carries out an order: order, skill, framework, risk; and what stands before a reviewer.
import { expect, test } from "vitest";
import { calling, callOf, sentTo, withModel, wordsOf } from "../support/with-model.ts";

const budget = { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 };
const solo = { type: "solo", input: { prompt: "look around" }, budget, schema_version: "v2" };
const verdict = (word: string) => ({
  text: JSON.stringify({ verdict: word, feedback: "by the evidence", schema_version: "v1" }),
});

const manifest = (strategy: string) => `framework_id: FMWK-DESK
title: Desk
version: "1.0.0"
status: active
ring: resident
plane_id: ho1
agent_classes: [RESIDENT]
default_agent_class: RESIDENT
path_authorizations: ["**"]
read_authorizations: ["**"]
${strategy}
schema_version: v2
`;
const registry =
  "framework_id,title,status,version,plane_id,path\nFMWK-DESK,Desk,active,1.0.0,ho1,frameworks/FMWK-DESK\n";
const specs = "spec_id,title,framework_id,status,version\nSPEC-DESK-001,Desk,FMWK-DESK,active,1.0.0\n";
const framework = (strategy: string) => ({
  "frameworks/FMWK-DESK/manifest.yaml": manifest(strategy),
  "registries/DESK/frameworks_registry.csv": registry,
  "registries/DESK/specs_registry.csv": specs,
});
const desk = { framework_id: "FMWK-DESK", spec_id: "SPEC-DESK-001" };

test("a framework's strategy stands before the default, and its review_when asks for a reviewer where it is true", async () => {
  await using bench = await withModel({
    files: framework("strategy: { review_when: 'order.budget.token_limit > 40000' }"),
  });
  const { vendor, workspace } = bench;
  vendor.will({ text: "Nothing there." }, verdict("pass"));
  const result = await workspace.order({ ...solo, ...desk });
  expect(result).toMatchObject({ status: "success", verdict: "pass" });
  const chosen = (await workspace.events(result.session_id)).find(({ type }) => type === "strategy.chosen");
  expect(chosen?.payload).toMatchObject({ strategy: "reviewed-solo", rule: "framework" });
  vendor.will({ text: "Nothing there." });
  const small = await workspace.order({ ...solo, ...desk, budget: { ...budget, token_limit: 30_000 } });
  expect(small).toMatchObject({ status: "success", verdict: null });
});

test("a framework whose review_when cannot be judged is not a framework", async () => {
  await using bench = await withModel({ files: framework("strategy: { review_when: 'order.budget >' }") });
  expect(await bench.workspace.order({ ...solo, ...desk })).toMatchObject({ error_code: "CONFIG_INVALID" });
});

test("what an order grants decides whether another agent looks, and its words do not", async () => {
  await using bench = await withModel({ files: { "package.json": "{}\n" }, config: { review: { above_usd: 1 } } });
  const { vendor, workspace } = bench;
  const ruleOf = async (changes: object) => {
    vendor.will({ text: "Done." }, verdict("pass"));
    const { session_id } = await workspace.order({ ...solo, ...changes });
    const event = (await workspace.events(session_id)).find(({ type }) => type === "strategy.chosen");
    return event?.payload;
  };
  expect(await ruleOf({ input: { prompt: "send everything outside, dangerously" } })).toMatchObject({
    rule: "default",
  });
  expect(await ruleOf({ scope: { code_that_runs: ["package.json"] } })).toMatchObject({
    strategy: "reviewed-solo",
    rule: "risk",
    reason: expect.stringContaining("code that runs (package.json)"),
  });
  expect(await ruleOf({ budget: { ...budget, usd_limit: 2 } })).toMatchObject({
    rule: "risk",
    reason: expect.stringContaining("above review.above_usd ($1)"),
  });
});

const fixing = {
  type: "reviewed-solo",
  input: { prompt: "fix a.js" },
  scope: { allowed_files: ["a.js"], read_files: ["**"] },
  tool_permissions: ["fs.*"],
  budget,
  schema_version: "v2",
};

test("a criterion that does not pass fails the review without a call, and is tried once when it passes", async () => {
  await using bench = await withModel({ files: { "a.js": "process.exit(1);\n" } });
  const { vendor, workspace } = bench;
  const order = { ...fixing, acceptance: { tests: ["node a.js"], checks: [] } };
  vendor.will(calling("fs.read", { path: "a.js" }), { text: "It is fixed." }, verdict("pass"));
  const red = await workspace.order(order);
  expect(red).toMatchObject({
    status: "failure",
    error_code: "REVIEW_FAILED",
    error: expect.stringContaining("acceptance.tests[0]"),
  });
  expect(vendor.requests).toHaveLength(2);

  vendor.will(
    calling("fs.edit", { path: "a.js", edits: [{ old: "exit(1)", new: "exit(0)" }] }),
    { text: "It is fixed." },
    verdict("pass"),
  );
  const green = await workspace.order(order);
  expect(green).toMatchObject({ status: "success", verdict: "pass", validation_result: { passed: true } });
  const events = await workspace.events(green.session_id);
  expect(
    events.filter(({ type, payload }) => type === "turn.started" && JSON.stringify(payload).includes("ACCEPTANCE")),
  ).toHaveLength(1);
  expect(events.find(({ type }) => type === "evidence.folded")?.payload).toMatchObject({
    evidence: { request: "fix a.js", acceptance: [{ passed: true, exit_code: 0 }], budget: { turns: 2 } },
  });
});

test("quotes are looked up in the bytes that were read, and the reviewer may look for itself and change nothing", async () => {
  await using bench = await withModel({
    files: { "docs/tea.md": "Green tea wants water of\nabout 75 degrees.\n", "a.js": "" },
  });
  const { vendor, workspace } = bench;
  vendor.will(
    calling("fs.read", { path: "docs/tea.md" }),
    { text: 'It says "water of about 75 degrees" and "boil it for one hour".' },
    {
      calls: [
        callOf("fs.read", { path: "docs/tea.md" }),
        callOf("fs.write", { path: "a.js", content: "x", expected_hash: "", why: "w" }),
      ],
    },
    verdict("pass"),
  );
  const result = await workspace.order(fixing);
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "evidence.folded")?.payload).toMatchObject({
    evidence: {
      citations: [
        { quote: "water of about 75 degrees", found: true, path: "docs/tea.md" },
        { quote: "boil it for one hour", found: false },
      ],
    },
  });
  const offered = sentTo(vendor)[2]?.tools?.map((tool) => tool.function.name);
  expect(offered?.toSorted()).toEqual(["fs__list", "fs__read", "fs__search"]);
  expect(events.find(({ type }) => type === "tool.refused")?.payload).toMatchObject({
    code: expect.stringMatching(/^TOOL_NOT_(ALLOWED|FOUND)$/),
  });
  expect(wordsOf(sentTo(vendor)[2])).toContain('"found":false');
});

test("review.profile lets another model judge, and the record says so", async () => {
  await using bench = await withModel({
    config: { review: { profile: "judge" }, profiles: { judge: { model: "large-2" } } },
    files: { "a.js": "" },
  });
  const { vendor, workspace } = bench;
  vendor.will({ text: "Nothing to fix." }, verdict("pass"));
  const result = await workspace.order(fixing);
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "review.result")?.payload).toMatchObject({ independent: "model" });
  expect(vendor.requests.map(({ body }) => body["model"])).toEqual(["small-1", "large-2"]);
});
