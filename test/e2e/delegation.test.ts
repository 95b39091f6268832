// Agents that ask for agents: each under an order of its own, never wider than the one above it.
import { expect, test } from "vitest";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const deep = 20;
const usage = { input_tokens: 10, output_tokens: 10 };
const level = (number: number, more: object = {}) => [
  {
    when: { prompt: `^level ${number}$`, call: 1 },
    respond: {
      json: { delegate: [{ prompt: `level ${number + 1}`, token_limit: 40_000 - number * 1_500, ...more }] },
      usage,
    },
  },
  { when: { prompt: `^level ${number}$` }, respond: { text: `done ${number}`, usage } },
];
const features = { multi_step_enabled: true, delegation_enabled: true };
const order = {
  type: "delegate",
  plane_id: "ho1",
  schema_version: "v2",
  input: { prompt: "level 1" },
  scope: { allowed_files: ["notes/**"], forbidden_files: ["notes/secret.txt"] },
  tool_permissions: [{ tool: "echo", args_schema: { type: "object", properties: { text: { const: "hello" } } } }],
  delegation: { max_depth: deep - 1 },
  budget: { token_limit: 50_000, turn_limit: 300, timeout_seconds: 120 },
};

async function chainOf(place: TestWorkspace, session_id: string | null | undefined) {
  const orders: Record<string, unknown>[] = [];
  const refused: string[] = [];
  let at = session_id ?? undefined;
  while (at !== undefined) {
    const events = await place.events(at);
    at = undefined;
    for (const { type, payload } of events) {
      if (type === "wo.started") orders.push(payload.work_order);
      if (type === "tool.refused") refused.push(JSON.stringify(payload));
      if (type === "delegation.made") at = payload.child_session_id ?? undefined;
    }
  }
  return { orders, refused };
}

test("twenty levels deep each order is narrower than the one above it, and the last one's limits are the first one's", async () => {
  const leaf = [
    {
      when: { prompt: `^level ${deep}$`, call: 1 },
      respond: { tool_calls: [{ name: "echo", args: { text: "something else" } }], usage },
    },
    { when: { prompt: `^level ${deep}$` }, respond: { text: "the leaf", usage } },
  ];
  const rules = [...Array.from({ length: deep - 1 }, (_, index) => level(index + 1)).flat(), ...leaf];
  await using place = await testWorkspace({ rules, config: { v2_features: features, delegation: { max_depth: 50 } } });
  const result = await place.order(order);
  expect(result).toMatchObject({ status: "success", response: "done 1" });
  const { orders, refused } = await chainOf(place, result.session_id);
  expect(orders).toHaveLength(deep);
  for (const [index, each] of orders.entries()) {
    expect(each["tool_permissions"]).toEqual(order.tool_permissions);
    expect(each["scope"]).toMatchObject(order.scope);
    expect(each["delegation"]).toEqual({ max_depth: deep - 1 - index });
    const above = orders[index - 1]?.["budget"] as { readonly token_limit: number } | undefined;
    if (above) expect((each["budget"] as { readonly token_limit: number }).token_limit).toBeLessThan(above.token_limit);
  }
  expect(refused).toHaveLength(1); // the leaf's call has other arguments than the first order permits
});

test("an order hands down no deeper than it says, and nothing that it does not have", async () => {
  const rules = [...level(1), ...level(2), ...level(3)];
  const config = { v2_features: features, delegation: { max_depth: 50 } };
  await using place = await testWorkspace({ rules, config });
  const shallow = await place.order({ ...order, delegation: { max_depth: 1 } });
  expect(shallow).toMatchObject({ status: "failure", error_code: "PART_FAILED" });
  expect((await chainOf(place, shallow.session_id)).orders).toHaveLength(2);
  expect(await place.order({ ...order, delegation: undefined })).toMatchObject({ error_code: "NOT_AUTHORIZED" });

  for (const wider of [{ tools: ["fs.read"] }, { allowed_files: ["**"] }]) {
    await using greedy = await testWorkspace({ rules: level(1, wider), config });
    const refused = await greedy.order(order);
    expect(refused).toMatchObject({ error_code: "NOT_AUTHORIZED" });
    expect((await chainOf(greedy, refused.session_id)).orders).toHaveLength(1);
  }
  await using off = await testWorkspace({ rules, config: { v2_features: { multi_step_enabled: true } } });
  expect(await off.order(order)).toMatchObject({ error_code: "FEATURE_DISABLED" });
});
