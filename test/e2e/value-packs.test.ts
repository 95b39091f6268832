// Rules over values as documents: a framework names a policy, an order may choose another that is allowed and add rules of its own.

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const policy = (id: string, rules: readonly object[], more: object = {}) =>
  `---\n${stringify({ id, kind: "value-rights", rules, schema_version: "v1", ...more })}---\nOf our own making.\n`;

const allowAll = { each: "value", when: "true", then: "allow", reason: "anything goes" };
const house = policy("house", [
  { each: "value", when: 'value.text.startsWith("drafts/closed")', then: "deny", reason: "closed drafts stay closed" },
  allowAll,
]);
const careful = policy("careful", [
  { each: "value", when: 'value.sink == "object"', then: "deny", reason: "nothing is written" },
]);

const frameworkFiles = (values: object) => ({
  "frameworks/FMWK-DRAFTS/manifest.yaml": stringify({
    framework_id: "FMWK-DRAFTS",
    title: "Drafts",
    version: "1.0.0",
    status: "active",
    ring: "resident",
    plane_id: "ho1",
    agent_classes: ["RESIDENT"],
    default_agent_class: "RESIDENT",
    path_authorizations: ["drafts/**"],
    required_gates: [],
    expected_specs: ["SPEC-DRAFTS-001"],
    values,
    schema_version: "v2",
  }),
  "registries/frameworks_registry.csv":
    "framework_id,title,status,version,plane_id,path\nFMWK-DRAFTS,Drafts,active,1.0.0,ho1,frameworks/FMWK-DRAFTS\n",
  "registries/specs_registry.csv":
    "spec_id,title,framework_id,status,version\nSPEC-DRAFTS-001,Drafts,FMWK-DRAFTS,active,1.0.0\n",
  "workflows/policies/house.md": house,
  "workflows/policies/desk/careful.md": careful.replace("id: careful", "id: desk/careful"),
});

const write = (path: string) => ({
  name: "fs.write",
  args: { path, content: "text", expected_hash: "", why: "asked for" },
});
const rules = [
  { when: { role: "solo", call: 1 }, respond: { tool_calls: [write("drafts/open.txt"), write("drafts/closed.txt")] } },
  { when: { role: "solo" }, respond: { text: "written" } },
  { when: { role: "reviewer" }, respond: { json: { verdict: "pass", feedback: "good", schema_version: "v1" } } },
];
const order = {
  type: "solo",
  framework_id: "FMWK-DRAFTS",
  spec_id: "SPEC-DRAFTS-001",
  schema_version: "v2",
  scope: { allowed_files: ["drafts/**"] },
  tool_permissions: ["fs.write"],
  input: { prompt: "Write both drafts" },
  budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
};

const desk = (values: object) =>
  testWorkspace({ rules, files: frameworkFiles(values), config: { v2_features: { multi_step_enabled: true } } });

async function callsOf(place: TestWorkspace, session_id: string | null | undefined) {
  return (await place.events(session_id)).flatMap((event) => {
    if (event.type !== "tool.invoke" && event.type !== "tool.refused") return [];
    const { verdict, rule, shadow } = event.payload;
    const reason = event.type === "tool.refused" ? event.payload.reason : undefined;
    return [{ type: event.type, verdict, rule, reason, shadow }];
  });
}

describe("a framework that names a policy of its own", () => {
  test("is judged by it, as it stood when the order began, and cites it by its line", async () => {
    await using place = await desk({ pack: "house" });
    const ended = await place.order(order);
    expect(ended).toMatchObject({ error_code: "PARTIAL_RESULT" });
    const calls = await callsOf(place, ended.session_id);
    expect(calls).toMatchObject([
      { type: "tool.invoke", verdict: "allow", rule: "house[1]" },
      { type: "tool.refused", verdict: "deny", rule: "house[0]" },
    ]);
    expect(calls[1]?.reason).toContain("closed drafts stay closed [workflows/policies/house.md:");
    await place.write("workflows/policies/house.md", policy("house", [allowAll]));
    expect(await place.runtime.verifySession(ended.session_id as never)).toMatchObject({ ok: true });
  });

  test("whose policy is not there carries out nothing", async () => {
    await using place = await desk({ pack: "hause" });
    const ended = await place.order(order);
    expect(ended).toMatchObject({ status: "rejected", error_code: "WORKFLOW_UNKNOWN_ID" });
    expect(ended.error).toContain('did you mean "house"?');
  });
});

describe("an order", () => {
  test("chooses another pack only where its framework allows it", async () => {
    await using place = await desk({ pack: "house", packs: ["desk/careful"] });
    const chosen = await place.order({ ...order, values: { pack: "desk/careful" } });
    expect(await callsOf(place, chosen.session_id)).toMatchObject([
      { verdict: "deny", rule: "desk/careful[0]" },
      { verdict: "deny", rule: "desk/careful[0]" },
    ]);
    const looser = await place.order({ ...order, values: { pack: "standard" } });
    expect(looser).toMatchObject({ status: "rejected", error_code: "NOT_AUTHORIZED" });
  });

  test("adds rules that make it stricter, never looser", async () => {
    await using place = await desk({ pack: "house" });
    const rule = { each: "value", when: 'value.text.endsWith("open.txt")', then: "deny", reason: "not this one" };
    const added = await place.order({ ...order, values: { rules: [rule] } });
    expect(await callsOf(place, added.session_id)).toMatchObject([
      { verdict: "deny", rule: "added[0]" },
      { verdict: "deny", rule: "house[0]" },
    ]);
    const wider = await place.order({ ...order, values: { rules: [{ ...rule, then: "allow" }] } });
    expect(wider).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
  });
});

test("a pack that watches is recorded beside each decision, and changes none", async () => {
  await using place = await desk({ pack: "house", shadow: ["desk/careful"] });
  const ended = await place.order(order);
  expect(await callsOf(place, ended.session_id)).toMatchObject([
    {
      verdict: "allow",
      shadow: [{ policy_id: "desk/careful", verdict: "deny", rule: 0, reason: "nothing is written" }],
    },
    { verdict: "deny", shadow: [{ verdict: "deny" }] },
  ]);
  expect(await place.runtime.backtest.shadows({ signal: new AbortController().signal })).toMatchObject({
    value: { policies: [{ policy_id: "desk/careful", decisions: 2, stricter: 1, looser: 0 }] },
  });
  expect(await place.runtime.verifySession(ended.session_id as never)).toMatchObject({ ok: true });
});

test("a draft is judged over the recorded past: each call that it would have decided otherwise, with the line that decides", async () => {
  await using place = await desk({ pack: "house" });
  const { session_id } = await place.order(order);
  const draft = careful.replace("id: careful", "id: desk/careful");
  const candidate = await place.runtime.backtest.ofText(draft, "drafts/careful.md");
  if (!candidate.ok) throw new Error(candidate.error.message);
  const report = await place.runtime.backtest.backtest(candidate.value, { signal: new AbortController().signal });
  expect(report).toMatchObject({
    value: {
      decisions: 2,
      different: [
        {
          session_id,
          subject: "fs.write",
          recorded: { decision: "allow", by: "house[1]" },
          now: { decision: "deny", rule: 0, line: 5, expression: 'value.sink == "object"' },
          change: "stricter",
        },
      ],
    },
  });
});
