// Agents that ask for agents: each under an order of its own, never wider than the one above it.
import { describe, expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { cli } from "../support/fresh-cli.ts";
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

const asks = (prompt: string, more: object = {}) => ({
  tool_calls: [{ name: "delegate", args: { tasks: [{ prompt, token_limit: 5_000, ...more }] } }],
  usage,
});
const gathering = [
  { when: { prompt: "^gather", call: 1 }, respond: asks("apples", { tools: [] }) },
  { when: { prompt: "^gather", call: 2 }, respond: asks("pears") },
  { when: { prompt: "^gather" }, respond: { text: "apples and pears", usage } },
  { when: { prompt: "^pears$", call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "hello" } }], usage } },
  { when: { prompt: "^(apples|pears)$" }, respond: { text: "about ${1}", usage } },
];
const solo = {
  ...order,
  type: "solo",
  input: { prompt: "gather" },
  tool_permissions: ["delegate", "echo"],
  delegation: { max_depth: 1 },
};

test("an agent with tools asks for others by one of them, and a part that waits for a person keeps all of it open", async () => {
  await using plain = await testWorkspace({ rules: gathering, config: { v2_features: features } });
  const undisturbed = await plain.order(solo);
  expect(undisturbed).toMatchObject({ status: "success", response: "apples and pears", error: null });
  expect(undisturbed.child_work_order_ids).toHaveLength(2);

  await using asked = await testWorkspace({ rules: gathering, config: { v2_features: features } });
  const waiting = await asked.order({ ...solo, approvals: [{ tools: ["echo"], reason: "it is said aloud" }] });
  expect(waiting).toMatchObject({ status: "waiting", response: null });
  const open = await cli(asked.root, "inbox", "--json");
  const { approvals } = JSON.parse(open.text) as { approvals: { approval_id: string }[] };
  expect(approvals).toHaveLength(1);
  expect((await cli(asked.root, "inbox", "approve", approvals[0]?.approval_id ?? "")).status).toBe(0);
  await asked.reopen();
  const resumed = await cli(asked.root, "session", "resume", waiting.session_id ?? "", "--json");
  const result = JSON.parse(resumed.text) as typeof undisturbed;
  expect(result).toMatchObject({ status: "success", response: "apples and pears", error: null });
  // The part that had ended was not carried out again, and the sum is that of the undisturbed order.
  expect(result.tokens_used).toEqual(undisturbed.tokens_used);
  expect(result.child_work_order_ids).toHaveLength(2);
  const events = await asked.events(waiting.session_id);
  expect(events.filter(({ type }) => type === "delegation.made")).toHaveLength(2);
  expect(events.filter(({ type }) => type === "delegation.ended")).toHaveLength(2);
  expect((await cli(asked.root, "session", "verify", waiting.session_id ?? "")).status).toBe(0);
});

test("what an agent asks for beyond its order is refused, a part that failed leaves it partial, and none is offered where it is off", async () => {
  const beyond = async (respond: object, more: { readonly order?: object; readonly features?: object } = {}) => {
    await using place = await testWorkspace({
      rules: [{ when: { prompt: "^gather", call: 1 }, respond }, ...gathering.slice(2, 3), ...gathering.slice(4)],
      config: { v2_features: { ...features, ...more.features } },
    });
    const result = await place.order({ ...solo, ...more.order });
    const events = await place.events(result.session_id);
    const offered = events.find((event) => event.type === "llm.request");
    return { result, made: events.filter(({ type }) => type === "delegation.made").length, offered };
  };
  const wider = await beyond(asks("apples", { tools: ["exec"] }));
  expect(wider).toMatchObject({
    made: 0,
    result: {
      status: "partial",
      undone: [{ tool: "delegate", code: "NOT_AUTHORIZED" }],
      refused_acts: [{ tool: "delegate", reason: expect.stringContaining("the tool exec") }],
    },
  });
  const silent = await beyond(asks("apples"), { order: { delegation: { max_depth: 0 } } });
  expect(silent).toMatchObject({ made: 0, result: { status: "partial" } });
  const failed = await beyond(asks("plums", { tools: ["echo"], token_limit: 1 }));
  expect(failed).toMatchObject({ made: 1, result: { status: "partial", undone: [{ code: "PART_FAILED" }] } });
  expect(failed.result.refused_acts).toBeUndefined();
  const off = await beyond(asks("apples"), { features: { delegation_enabled: false } });
  expect(off).toMatchObject({ made: 0, result: { undone: [{ code: "FEATURE_DISABLED" }] } });
  expect(JSON.stringify(off.offered?.payload)).not.toContain("delegate");
});

test("max_children counts all that an order hands down, also when it goes on after a person decided", async () => {
  await using place = await testWorkspace({
    rules: [
      ...gathering.slice(0, 1),
      { when: { prompt: "^gather", call: 2 }, respond: { tool_calls: [{ name: "echo", args: { text: "hello" } }] } },
      { when: { prompt: "^gather", call: 3 }, respond: asks("pears") },
      ...gathering.slice(2),
    ],
    config: { v2_features: features },
  });
  const waiting = await place.order({
    ...solo,
    delegation: { max_depth: 1, max_children: 1 },
    approvals: [{ tools: ["echo"], reason: "it is said aloud" }],
  });
  const open = JSON.parse((await cli(place.root, "inbox", "--json")).text) as { approvals: { approval_id: string }[] };
  await cli(place.root, "inbox", "approve", open.approvals[0]?.approval_id ?? "");
  await place.reopen();
  const resumed = await cli(place.root, "session", "resume", waiting.session_id ?? "", "--json");
  const result = JSON.parse(resumed.text) as typeof waiting;
  expect(result).toMatchObject({ status: "partial", undone: [{ tool: "delegate", code: "GATE_DENIED" }] });
  expect(result.refused_acts).toMatchObject([
    { tool: "delegate", reason: expect.stringContaining("2 orders handed down in all, at most 1 are allowed") },
  ]);
  expect(result.child_work_order_ids).toHaveLength(1);
});

describe("what an order is judged by has what the orders below it did", () => {
  const write = (path: string) => ({
    tool_calls: [{ name: "fs.write", args: { path, content: "a part\n", expected_hash: "", why: "asked" } }],
    usage,
  });
  const rules = [
    { when: { prompt: "^gather", call: 1 }, respond: asks("part", { tools: ["fs.write", "delegate"] }) },
    { when: { prompt: "^gather", call: 2 }, respond: { tool_calls: [{ name: "echo", args: { text: "hi" } }], usage } },
    { when: { prompt: "^gather" }, respond: { text: "gathered", usage } },
    { when: { prompt: "^part$", call: 1 }, respond: asks("leaf", { tools: ["fs.write"], token_limit: 2_000 }) },
    { when: { prompt: "^part$", call: 2 }, respond: write("notes/part.md") },
    { when: { prompt: "^leaf$", call: 1 }, respond: write("notes/leaf.md") },
    { when: { prompt: "^(part|leaf)$" }, respond: { text: "written", usage } },
  ];
  const gathered = {
    ...solo,
    tool_permissions: ["delegate", "echo", "fs.write"],
    delegation: { max_depth: 2 },
    acceptance: {
      checks: [
        { name: "files", expression: 'files.all(f, f.change == "create") && counts.files == 2' },
        { name: "paths", expression: 'files.map(f, f.path) == ["notes/leaf.md", "notes/part.md"]' },
        { name: "calls", expression: 'tool_calls["fs.write"] == 2 && tool_calls["delegate"] == 2' },
        { name: "counts", expression: "counts.failed_tool_calls == 0 && counts.model_calls == 8" },
      ],
    },
    declared_outputs: [{ path: "notes/leaf.md" }],
  };
  const passes = { status: "success", error: null };

  test("at any depth, also when it goes on in another process", async () => {
    await using place = await testWorkspace({ rules, config: { v2_features: features } });
    expect(await place.order(gathered)).toMatchObject(passes);

    await using asked = await testWorkspace({ rules, config: { v2_features: features } });
    const waiting = await asked.order({ ...gathered, approvals: [{ tools: ["echo"], reason: "it is said aloud" }] });
    expect(waiting).toMatchObject({ status: "waiting" });
    const { approvals } = JSON.parse((await cli(asked.root, "inbox", "--json")).text) as {
      approvals: { approval_id: string }[];
    };
    expect((await cli(asked.root, "inbox", "approve", approvals[0]?.approval_id ?? "")).status).toBe(0);
    await asked.reopen();
    const resumed = await cli(asked.root, "session", "resume", waiting.session_id ?? "", "--json");
    expect(JSON.parse(resumed.text)).toMatchObject(passes);
    expect((await cli(asked.root, "session", "verify", waiting.session_id ?? "")).status).toBe(0);
    expect(await asked.read("notes/leaf.md")).toBe("a part\n");
  });

  test("a fork has what the orders below its parent had done by then, and what they wrote", async () => {
    const files = { "gate.txt": "closed\n" };
    await using place = await testWorkspace({ rules, files, config: { v2_features: features } });
    const scope = { ...gathered.scope, read_files: ["gate.txt"] };
    const acceptance = { ...gathered.acceptance, tests: ["grep -q open gate.txt"] };
    const failed = await place.order({ ...gathered, scope, acceptance });
    expect(failed).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
    await place.write("gate.txt", "open\n");
    const ended = (await place.events(failed.session_id)).find(({ type }) => type === "delegation.ended");
    const at = (ended?.seq ?? 0) + 1;
    const forked = await place.runtime.forkSession(failed.session_id as SessionId, { at });
    expect(forked).toMatchObject({ ok: true, value: passes });
    expect(await place.read("notes/leaf.md")).toBe("a part\n");
    expect(await place.read("notes/part.md")).toBe("a part\n");
  });

  test("so a criterion that forbids a change refuses that of an agent's agent, and nothing of it lands", async () => {
    await using place = await testWorkspace({ rules, config: { v2_features: features } });
    const checks = [{ name: "untouched", expression: "counts.files == 0" }];
    const result = await place.order({ ...gathered, acceptance: { checks } });
    expect(result).toMatchObject({ status: "failure", error_code: "ACCEPTANCE_FAILED" });
    await expect(place.read("notes/leaf.md")).rejects.toThrow("ENOENT");
  });
});
