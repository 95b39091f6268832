// What calls of a model cost, against servers that behave as real ones do: refused, unreachable, cut off, silent about usage.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cli, cliWith } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { type Behaviour, type FakeVendor, fakeVendor, type VendorName } from "../support/vendors/vendor-server.ts";

const retries = { attempts: 3, first_delay_ms: 1, max_delay_ms: 2 };
const prices = { "big-*": { input_per_million: 1, output_per_million: 10 } };
const wide = { token_limit: 50_000, turn_limit: 5, timeout_seconds: 60 };
const payloads = (events: readonly { type: string; payload: unknown }[], type: string) =>
  events.filter((event) => event.type === type).map((event) => event.payload as Record<string, unknown>);

let server: FakeVendor;
beforeEach(async () => {
  server = await fakeVendor("openai-compatible");
});
afterEach(() => server[Symbol.asyncDispose]());

const priced = (changes: object = {}) => ({
  provider: "openai-compatible",
  base_url: server.baseUrl,
  headers: { "x-team": "red" }, // a gateway to a vendor: what is shown no key on this machine costs nothing
  model: "big-1",
  max_output_tokens: 1_000,
  prices,
  retries,
  ...changes,
});

/** Reservations and what each was settled at, as the ledger has them. */
async function settled(workspace: TestWorkspace, session_id: string | null | undefined) {
  const changes = payloads(await workspace.events(session_id), "budget.updated");
  const reserved = changes.filter(({ action }) => action === "reserve");
  return reserved.map(({ reservation_id, input_tokens, output_tokens }) => {
    const end = changes.filter((each) => each["action"] === "settle" && each["reservation_id"] === reservation_id);
    expect(end).toHaveLength(1);
    return {
      reserved: Number(input_tokens) + Number(output_tokens),
      spent: Number(end[0]?.["input_tokens"]) + Number(end[0]?.["output_tokens"]),
      estimated: end[0]?.["estimated"] === true,
    };
  });
}

describe("nothing is paid for a call that", () => {
  test.each([
    ["was not authorised", { status: 401, message: "Invalid key" }, 1],
    ["was forbidden", { status: 403 }, 1],
    ["asked for an unknown model", { status: 404 }, 1],
    ["was sent elsewhere", { status: 307, headers: { location: "http://127.0.0.1:9/" } }, 1],
    ["came too often", { status: 429 }, 3],
    ["met a failure of the server", { status: 500 }, 3],
    ["met an overloaded server", { status: 529 }, 3],
  ] as const)("%s", async (_, behaviour: Behaviour, calls) => {
    for (const onText of [undefined, () => undefined]) {
      server.will(behaviour);
      await using workspace = await testWorkspace({ config: priced() });
      const before = server.requests.length;
      const result = await workspace.order({ budget: wide }, onText ? { onText } : {});
      expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR", usd: 0 });
      expect(result.tokens_used).toEqual({ input: 0, output: 0 });
      expect(server.requests.length - before).toBe(calls);
      expect(await settled(workspace, result.session_id)).toEqual(
        Array.from({ length: calls }, () => ({ reserved: expect.any(Number), spent: 0, estimated: false })),
      );
    }
  });

  test("found no server at all, and no certificate that it trusts", async () => {
    const gone = await fakeVendor("openai-compatible");
    await gone[Symbol.asyncDispose]();
    for (const base_url of [gone.baseUrl, server.baseUrl.replace("http:", "https:")]) {
      await using workspace = await testWorkspace({ config: priced({ base_url }) });
      const result = await workspace.order({ budget: wide });
      expect(result).toMatchObject({ status: "failure", usd: 0, tokens_used: { input: 0, output: 0 } });
      expect(await settled(workspace, result.session_id)).toMatchObject([{ spent: 0 }, { spent: 0 }, { spent: 0 }]);
    }
  });

  test("the scripted model refuses with a status, which stands for a vendor's", async () => {
    await using workspace = await testWorkspace({
      rules: [{ respond: { error: { status: 401, message: "wrong key", retryable: false } } }],
    });
    const results = [await workspace.order(), await workspace.order(), await workspace.order()];
    for (const result of results) expect(result.tokens_used).toEqual({ input: 0, output: 0 });
    const { text } = await cli(workspace.root, "session", "list");
    expect(text).not.toMatch(/[1-9][0-9,]* tok/);
  });
});

describe("where the usage is unknown, the reservation of the attempt is paid", () => {
  test.each([
    ["was cut after the output", { cutAfter: { text: "All of the answer." } }],
    ["was cut in the middle", { half: { text: "Half of the answer." }, then: "reset" }],
    ["ended without a finish", { half: { text: "Half of the answer." }, then: "end" }],
    ["failed after a part of it", { errorAfter: { text: "A part." }, message: "overloaded", type: "overloaded" }],
    ["was reset before a byte came", { nothing: "reset" }],
  ] as readonly (readonly [string, Behaviour])[])("each time that the answer %s", async (_, behaviour) => {
    server.will(behaviour);
    await using workspace = await testWorkspace({ config: priced() });
    const result = await workspace.order({ budget: wide }, { onText: () => undefined });
    expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR" });
    expect(server.requests).toHaveLength(3);
    const attempts = await settled(workspace, result.session_id);
    expect(attempts).toHaveLength(3);
    for (const { reserved, spent, estimated } of attempts) expect([spent, estimated]).toEqual([reserved, true]);
    const total = attempts.reduce((sum, { spent }) => sum + spent, 0);
    const { input = 0, output = 0 } = result.tokens_used ?? {};
    expect([input + output, result.tokens_used?.estimated]).toEqual([total, true]);
    expect(result.usd).toBeCloseTo((input + output * 10) / 1e6, 9);
  });

  test("only of the attempt that was cut: the one that answered is paid as it says", async () => {
    server.will({ cutAfter: { text: "Lost." } }, { status: 503 }, { text: "Here." });
    await using workspace = await testWorkspace({ config: priced() });
    const result = await workspace.order({ budget: wide }, { onText: () => undefined });
    expect(result).toMatchObject({ status: "success", response: "Here." });
    const attempts = await settled(workspace, result.session_id);
    expect(attempts.map(({ spent, estimated }) => [spent, estimated])).toEqual([
      [attempts[0]?.reserved, true],
      [0, false],
      [27, false],
    ]);
    const events = await workspace.events(result.session_id);
    expect(payloads(events, "llm.attempt")).toMatchObject([
      { usage: { estimated: true } },
      { usage: { output_tokens: 0 } },
    ]);
    expect(payloads(events, "llm.response")).toMatchObject([{ attempts: 3, usage: { estimated: true } }]);
  });

  test("and an answer that does not say what it used is marked as estimated, on the screen too", async () => {
    server.will({ text: "Fine.", usage: null });
    await using workspace = await testWorkspace({ config: priced() });
    const result = await workspace.order({ budget: wide });
    const [attempt] = await settled(workspace, result.session_id);
    expect(attempt).toMatchObject({ estimated: true, spent: attempt?.reserved });
    expect(result.tokens_used).toMatchObject({ estimated: true });
    const told = await cliWith(
      { cwd: workspace.root, input: JSON.stringify(workOrder({ budget: wide })) },
      "flow",
      "run",
      "-",
    );
    expect(told.text).toMatch(/about [0-9,]+ tokens/);
  });

  test("an attempt that the budget cannot pay is not made", async () => {
    server.will({ nothing: "reset" }, { text: "Too late." });
    await using workspace = await testWorkspace({ config: priced() });
    const result = await workspace.order({ budget: { ...wide, token_limit: 1_020 } });
    expect(server.requests).toHaveLength(1);
    expect(result).toMatchObject({ status: "failure", error: expect.stringContaining("another try is not paid for") });
  });

  test("what a second attempt may produce is what is left", async () => {
    server.will({ nothing: "reset" }, { text: "Short." });
    await using workspace = await testWorkspace({ config: priced() });
    const result = await workspace.order({ budget: { ...wide, token_limit: 1_200 } });
    expect(result).toMatchObject({ status: "success" });
    const [first, second] = server.requests.map(({ body }) => Number(body["max_tokens"]));
    expect(first).toBe(1_000);
    expect(second).toBeLessThan(200);
  });
});

describe("usage that comes twice in one stream is counted once, and right", () => {
  test.each(["anthropic", "openai", "google", "openai-compatible"] as const)("from %s", async (name: VendorName) => {
    await using vendor = await fakeVendor(name);
    vendor.will({ twice: { text: "Counted as it comes." }, first: { input: 20, output: 3 } });
    await using workspace = await testWorkspace({
      config: priced({ provider: name, base_url: vendor.baseUrl }),
      env: {
        ANTHROPIC_API_KEY: "key-of-anthropic",
        OPENAI_API_KEY: "key-of-openai",
        GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
      },
    });
    const result = await workspace.order({ budget: wide }, { onText: () => undefined });
    expect(result).toMatchObject({ status: "success", tokens_used: { input: 20, output: 7 } });
    expect(await settled(workspace, result.session_id)).toMatchObject([{ spent: 27, estimated: false }]);
  });
});

describe("a limit on money", () => {
  const unpriced = () => priced({ prices: {} });

  test("over a model without a known price is refused before the model is asked", async () => {
    server.will({ text: "No." });
    await using workspace = await testWorkspace({ config: unpriced() });
    const result = await workspace.order({ budget: { ...wide, usd_limit: 0.5 } });
    expect(result).toMatchObject({ status: "rejected", error_code: "PRICE_UNKNOWN" });
    expect(result.error).toContain("no price of big-1 is known");
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ["the order's configuration", { budget: { usd_limit: 0.5 } }],
    ["the session", { session_budget: { usd_limit: 1 } }],
    ["the workspace", { workspace_budget: { usd_limit: 1 } }],
  ])("that %s states is refused the same", async (_, config) => {
    await using workspace = await testWorkspace({ config: { ...unpriced(), ...config } });
    expect(await workspace.order({ budget: wide })).toMatchObject({ error_code: "PRICE_UNKNOWN" });
    expect(server.requests).toHaveLength(0);
  });

  test("that nobody states does not apply: the screen says that the price is unknown, never $0.00", async () => {
    server.will({ text: "Hello." });
    await using workspace = await testWorkspace({ config: unpriced() });
    const { text, status } = await cliWith(
      { cwd: workspace.root, input: JSON.stringify(workOrder({ budget: wide })) },
      "flow",
      "run",
      "-",
    );
    expect(status).toBe(0);
    expect(text).toContain("price of big-1 unknown");
    expect(text).not.toContain("$0.00");
    const result = await workspace.order({ budget: wide });
    expect(result).toMatchObject({ unpriced_models: ["big-1"] });
    expect((await cli(workspace.root, "session", "show", result.session_id ?? "")).text).toContain("price unknown");
  });

  test("counts nothing for a model that the workspace calls free", async () => {
    server.will({ text: "Hello." });
    await using workspace = await testWorkspace({ config: { ...unpriced(), unknown_price: "free" } });
    const result = await workspace.order({ budget: { ...wide, usd_limit: 0.5 } });
    expect(result).toMatchObject({ status: "success", usd: 0 });
    expect(result).not.toHaveProperty("unpriced_models");
  });

  test("is kept by the price of the longest pattern, and by that of cached input", async () => {
    server.will({ text: "Hello.", usage: { input: 100, output: 10, cached: 60 } });
    await using workspace = await testWorkspace({
      config: priced({
        prices: {
          "*": { input_per_million: 1, output_per_million: 1 },
          "big-*": { input_per_million: 10, output_per_million: 100, cached_input_per_million: 1 },
        },
      }),
    });
    const result = await workspace.order({ budget: wide });
    expect(result.usd).toBeCloseTo((40 * 10 + 60 + 10 * 100) / 1e6, 9);
    const [response] = payloads(await workspace.events(result.session_id), "llm.response");
    expect(response?.["usage"]).toMatchObject({ input_tokens: 100, cached_input_tokens: 60 });
  });

  test("counts what the provider wrote into its cache at the price of that", async () => {
    await using vendor = await fakeVendor("anthropic");
    vendor.will({ text: "Hello.", usage: { input: 100, output: 10, cached: 20, written: 50 } });
    const price = { input_per_million: 10, output_per_million: 100 };
    await using workspace = await testWorkspace({
      config: priced({
        provider: "anthropic",
        base_url: vendor.baseUrl,
        prices: { "big-*": { ...price, cached_input_per_million: 1, cache_write_per_million: 40 } },
      }),
      env: { ANTHROPIC_API_KEY: "key-of-anthropic" },
    });
    const result = await workspace.order({ budget: wide });
    expect(result).toMatchObject({ status: "success", tokens_used: { input: 100, output: 10 } });
    expect(result.usd).toBeCloseTo((30 * 10 + 20 + 50 * 40 + 10 * 100) / 1e6, 9);
  });

  test("counts what a gateway on this machine is asked with the key of the environment", async () => {
    await using vendor = await fakeVendor("anthropic");
    vendor.will({ text: "Hello." });
    await using workspace = await testWorkspace({
      config: { provider: "anthropic", base_url: vendor.baseUrl, model: "big-1", prices, retries },
      env: { ANTHROPIC_API_KEY: "key-of-anthropic" },
    });
    expect((await workspace.order({ budget: wide })).usd).toBeCloseTo((20 + 7 * 10) / 1e6, 9);
  });

  test("of zero allows what costs nothing and nothing else", async () => {
    server.will({ text: "Hello." });
    const none = { ...wide, usd_limit: 0 };
    await using workspace = await testWorkspace({ config: priced() });
    expect(await workspace.order({ budget: none })).toMatchObject({
      status: "rejected",
      error_code: "BUDGET_EXHAUSTED",
    });
    expect(server.requests).toHaveLength(0);
    await using scripted = await testWorkspace();
    expect(await scripted.order({ budget: none })).toMatchObject({ status: "success", usd: 0 });
  });
});

test("an answer that overshoots a limit is said to have: in the result, on the screen, in the list and when shown", async () => {
  server.will({ text: "Long.", usage: { input: 900, output: 2_500 } });
  const dear = { "big-*": { input_per_million: 1_000, output_per_million: 10_000 } };
  await using workspace = await testWorkspace({ config: priced({ prices: dear }) });
  const order = workOrder({ budget: { ...wide, token_limit: 2_000, usd_limit: 20 } });
  const { text } = await cliWith({ cwd: workspace.root, input: JSON.stringify(order) }, "flow", "run", "-");
  expect(text).toMatch(/over budget by 1,400 tokens and \$5\.90/);
  const result = await workspace.order({ budget: { ...wide, token_limit: 2_000, usd_limit: 20 } });
  expect(result).toMatchObject({ status: "success", over_budget: { tokens: 1_400, usd: expect.closeTo(5.9, 6) } });
  for (const command of [
    ["session", "list"],
    ["session", "show", result.session_id ?? ""],
  ])
    expect((await cli(workspace.root, ...command)).text).toContain("over budget");
  const within = await workspace.order({ budget: { ...wide, usd_limit: 100 } });
  expect(within).not.toHaveProperty("over_budget");
});

describe("limits, broken on purpose", () => {
  const talk = { type: "plan-work-review" };

  test.each([
    ["token_limit", { token_limit: 0 }, "$.budget.token_limit"],
    ["turn_limit", { turn_limit: 0 }, "$.budget.turn_limit"],
    ["timeout_seconds", { timeout_seconds: 0 }, "$.budget.timeout_seconds"],
  ])("%s of zero is no budget", async (_, budget, path) => {
    await using workspace = await testWorkspace();
    const result = await workspace.order({ budget });
    expect(result).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
    expect(result.error).toContain(path);
  });

  test("turn_limit counts the calls of all roles", async () => {
    await using workspace = await testWorkspace();
    const result = await workspace.order({
      ...talk,
      budget: { token_limit: 50_000, turn_limit: 2, timeout_seconds: 60 },
    });
    expect(result).toMatchObject({ status: "budget_exhausted", error_code: "BUDGET_EXHAUSTED" });
    expect(result.error).toMatch(/all 2 model calls are spent \(budget\.turn_limit in work order WO-/);
    expect(payloads(await workspace.events(result.session_id), "llm.request")).toHaveLength(2);
  });

  test("token_limit ends an order before the call that it could not pay", async () => {
    await using workspace = await testWorkspace();
    const result = await workspace.order({
      ...talk,
      budget: { token_limit: 150, turn_limit: 40, timeout_seconds: 60 },
    });
    expect(result).toMatchObject({
      error_code: "BUDGET_EXHAUSTED",
      error: expect.stringContaining("budget.token_limit"),
    });
    const { input = 0, output = 0 } = result.tokens_used ?? {};
    expect(input + output).toBeLessThanOrEqual(150);
  });

  test("prompts that no contract covers are refused where the workspace requires contracts", async () => {
    await using workspace = await testWorkspace({ config: { contracts_required: true } });
    expect(await workspace.order()).toMatchObject({ status: "success" });
    const result = await workspace.order({ ...talk, budget: wide });
    expect(result).toMatchObject({ status: "rejected", error_code: "NOT_AUTHORIZED" });
    expect(result.error).toContain("contracts_required");
  });

  test("a request with a word that it does not have is refused, not read past", async () => {
    await using workspace = await testWorkspace();
    const request = { work_order: workOrder(), caller_id: workspace.runtime.caller, devmode: true };
    expect(await workspace.runtime.runFlow(request)).toMatchObject({
      status: "rejected",
      error_code: "SCHEMA_VIOLATION",
      error: expect.stringContaining("devmode"),
    });
  });
});
