import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { createIds, err, ok, seededRandom } from "#core/values";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { Budgeter, BudgetScope } from "./budgeter.ts";
import { createBudgeter } from "./create-budgeter.ts";

const price = { input_per_million: 1_000_000, output_per_million: 1_000_000 }; // a dollar a token
const scopeOf = (order: string): BudgetScope => ({ session_id: "SES-1", work_order_id: order, agent_id: "AGT-1" });
const limits = (token_limit: number, more: object = {}) => ({
  token_limit,
  turn_limit: 1_000,
  timeout_seconds: 60,
  ...more,
});
const ask = (input_tokens: number, output_wanted: number, output_least = 1) => ({
  model: "m",
  price,
  input_tokens,
  output_wanted,
  output_least,
});

function setUp(options: Partial<Parameters<typeof createBudgeter>[0]> = {}) {
  const recorder = memoryRecorder();
  const budgeter = createBudgeter({ ids: createIds(manualClock(), seededRandom(1)), ...options });
  return { recorder, budgeter, to: { recorder } };
}

test("calls that cost nothing keep only a pace that was stated", async () => {
  const rate = { admit: () => Promise.resolve(err(domainError("RATE_LIMITED", "too fast"))) };
  const free = { input_per_million: 0, output_per_million: 0 };
  const reserve = async (pacesFreeCalls: boolean, paid: typeof price) => {
    const { budgeter, to } = setUp({ rate, pacesFreeCalls });
    await budgeter.allocate(scopeOf("a"), limits(100), to);
    const reserved = await budgeter.reserve(scopeOf("a"), { ...ask(10, 50), price: paid }, to);
    return reserved.ok ? "ok" : reserved.error.code;
  };
  expect(await reserve(false, free)).toBe("ok");
  expect(await reserve(true, free)).toBe("RATE_LIMITED");
  expect(await reserve(false, price)).toBe("RATE_LIMITED");
});

describe("a budget", () => {
  test("sets aside before a call and gives back what was not spent", async () => {
    const { budgeter, to } = setUp();
    await budgeter.allocate(scopeOf("a"), limits(100), to);
    const reserved = await budgeter.reserve(scopeOf("a"), ask(10, 50), to);
    expect(reserved).toMatchObject({ ok: true, value: { input_tokens: 10, output_tokens: 50 } });
    if (!reserved.ok) return;
    const settled = await budgeter.settle(
      reserved.value,
      { input_tokens: 10, output_tokens: 5, usd: 15, estimated: false },
      to,
    );
    expect(settled).toMatchObject({
      ok: true,
      value: { spent: { input_tokens: 10, output_tokens: 5, usd: 15, turns: 1 }, reserved: { tokens: 0, usd: 0 } },
    });
  });

  test("grants less output than wanted when it is nearly spent, and refuses when that is of no use", async () => {
    const { budgeter, to } = setUp();
    await budgeter.allocate(scopeOf("a"), limits(30), to);
    expect(await budgeter.reserve(scopeOf("a"), ask(10, 500), to)).toMatchObject({ value: { output_tokens: 20 } });
    const { budgeter: poor } = setUp();
    await poor.allocate(scopeOf("a"), limits(30), to);
    expect(await poor.reserve(scopeOf("a"), ask(25, 500, 16), to)).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED", message: expect.stringContaining("budget.token_limit") },
    });
  });

  test.each([
    ["model calls", limits(1_000, { turn_limit: 1 }), "turn_limit"],
    ["money", limits(1_000, { usd_limit: 60 }), "usd_limit"],
  ])("holds the limit on %s", async (_, given, word) => {
    const { budgeter, to } = setUp();
    await budgeter.allocate(scopeOf("a"), given, to);
    const first = await budgeter.reserve(scopeOf("a"), ask(10, 40), to);
    if (first.ok)
      await budgeter.settle(first.value, { input_tokens: 10, output_tokens: 40, usd: 50, estimated: false }, to);
    expect(await budgeter.reserve(scopeOf("a"), ask(10, 40), to)).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED", message: expect.stringContaining(word) },
    });
  });

  test("a call that does not fit beside one in flight waits for it, and runs when enough comes back", async () => {
    const { budgeter, to } = setUp();
    await budgeter.allocate(scopeOf("a"), limits(100), to);
    const first = await budgeter.reserve(scopeOf("a"), ask(10, 80, 80), to);
    const second = budgeter.reserve(scopeOf("a"), ask(10, 80, 80), to);
    if (!first.ok) throw new Error("refused");
    await budgeter.settle(first.value, { input_tokens: 5, output_tokens: 5, usd: 10, estimated: false }, to);
    expect((await second).ok).toBe(true);
  });

  test("one that waits in vain is refused, and one that is canceled does not wait", async () => {
    const { budgeter, to } = setUp();
    await budgeter.allocate(scopeOf("a"), limits(100), to);
    const first = await budgeter.reserve(scopeOf("a"), ask(10, 80, 80), to);
    const second = budgeter.reserve(scopeOf("a"), ask(10, 80, 80), to);
    const controller = new AbortController();
    const third = budgeter.reserve(scopeOf("a"), ask(10, 80, 80), { ...to, signal: controller.signal });
    controller.abort();
    expect(await third).toMatchObject({ ok: false });
    if (first.ok)
      await budgeter.settle(first.value, { input_tokens: 10, output_tokens: 80, usd: 90, estimated: false }, to);
    expect(await second).toMatchObject({ ok: false, error: { code: "BUDGET_EXHAUSTED" } });
  });

  test("a session's own limit refuses an order that asks for more", async () => {
    const { budgeter, to } = setUp({ session: { token_limit: 50, usd_limit: null } });
    expect(await budgeter.allocate(scopeOf("a"), limits(51), to)).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED", message: expect.stringContaining("session_budget") },
    });
    expect((await budgeter.allocate(scopeOf("a"), limits(50), to)).ok).toBe(true);
    expect(await budgeter.allocate(scopeOf("a"), limits(1), to)).toMatchObject({ ok: false });
  });
});

describe("children", () => {
  const child = (
    budgeter: Budgeter,
    name: string,
    tokens: number,
    to: { readonly recorder: ReturnType<typeof memoryRecorder>; readonly parent: string },
  ) =>
    budgeter.allocate(scopeOf(name), limits(tokens, { turn_limit: 1 }), {
      recorder: to.recorder,
      parent: scopeOf(to.parent),
    });

  test("their money is moved, never copied", async () => {
    const { budgeter, to, recorder } = setUp();
    await budgeter.allocate(scopeOf("p"), limits(100), to);
    expect((await child(budgeter, "c1", 60, { recorder, parent: "p" })).ok).toBe(true);
    expect(await child(budgeter, "c2", 60, { recorder, parent: "p" })).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED" },
    });
    const spent = await budgeter.reserve(scopeOf("c1"), ask(10, 10), to);
    if (spent.ok)
      await budgeter.settle(spent.value, { input_tokens: 10, output_tokens: 10, usd: 20, estimated: false }, to);
    await budgeter.release(scopeOf("c1"), to);
    expect(await budgeter.status(scopeOf("p"))).toMatchObject({ value: { moved_to_children: { tokens: 20 } } });
    expect((await child(budgeter, "c3", 80, { recorder, parent: "p" })).ok).toBe(true);
    expect(await child(budgeter, "c4", 1, { recorder, parent: "p" })).toMatchObject({ ok: false });
  });

  test("what was handed to a child is gone from the parent's own calls: tokens, money and model calls", async () => {
    const { budgeter, to } = setUp();
    const parent = scopeOf("p");
    await budgeter.allocate(parent, limits(1_000, { usd_limit: 1_000, turn_limit: 3 }), to);
    const given = { token_limit: 10, usd_limit: 900, turn_limit: 2, timeout_seconds: 60 };
    expect(await budgeter.allocate(scopeOf("c"), given, { ...to, parent })).toMatchObject({ ok: true });
    expect(await budgeter.reserve(parent, ask(0, 101, 101), to)).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED", message: expect.stringContaining("usd_limit") },
    });
    const own = await budgeter.reserve(parent, ask(0, 10, 10), to);
    if (!own.ok) throw new Error(own.error.message);
    await budgeter.settle(own.value, { input_tokens: 0, output_tokens: 10, usd: 10, estimated: false }, to);
    expect(await budgeter.reserve(parent, ask(0, 1, 1), to)).toMatchObject({
      ok: false,
      error: { code: "BUDGET_EXHAUSTED", message: expect.stringContaining("turn_limit") },
    });
  });

  test("a child that stops gives its parent back what is neither spent nor in flight", async () => {
    const { budgeter, to } = setUp();
    const parent = scopeOf("p");
    await budgeter.allocate(parent, limits(1_000), to);
    await budgeter.allocate(scopeOf("c"), limits(600, { turn_limit: 5 }), { ...to, parent });
    const first = await budgeter.reserve(scopeOf("c"), ask(0, 50), to);
    if (!first.ok) throw new Error(first.error.message);
    await budgeter.settle(first.value, { input_tokens: 0, output_tokens: 30, usd: 0, estimated: false }, to);
    await budgeter.reserve(scopeOf("c"), ask(0, 100), to);
    await budgeter.suspend(scopeOf("c"));
    expect(await budgeter.status(parent)).toMatchObject({ value: { moved_to_children: { tokens: 130, turns: 2 } } });
  });

  test("personas have shares of their own within one order, and none spends another's", async () => {
    const { budgeter, to } = setUp();
    const order = scopeOf("p");
    await budgeter.allocate(order, limits(100), to);
    for (const share of ["draft.1.author", "draft.1.critic"])
      expect(await budgeter.allocate({ ...order, share }, limits(40, { turn_limit: 1 }), { ...to, parent: order })) //
        .toMatchObject({ ok: true });
    const author = { ...order, share: "draft.1.author" };
    expect(await budgeter.reserve(author, ask(0, 41, 41), to)).toMatchObject({ ok: false });
    expect(await budgeter.reserve(author, ask(0, 40, 40), to)).toMatchObject({ ok: true });
    expect(await budgeter.reserve({ ...order, share: "draft.1.critic" }, ask(0, 40, 40), to)) //
      .toMatchObject({ ok: true });
  });

  test("delegation twenty deep never creates money", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ give: fc.integer({ min: 1, max: 900 }), spend: fc.integer({ min: 0, max: 900 }) }), {
          minLength: 20,
          maxLength: 20,
        }),
        async (levels) => {
          const { budgeter, to } = setUp();
          const total = 1_000;
          await budgeter.allocate(scopeOf("l0"), limits(total), to);
          let spentInAll = 0;
          const open = ["l0"];
          for (const [index, { give, spend }] of levels.entries()) {
            const here = open.at(-1) ?? "l0";
            const reserved = await budgeter.reserve(scopeOf(here), ask(0, spend, spend), to);
            if (reserved.ok) {
              await budgeter.settle(
                reserved.value,
                { input_tokens: 0, output_tokens: spend, usd: 0, estimated: false },
                to,
              );
              spentInAll += spend;
            }
            const moved = await budgeter.allocate(scopeOf(`l${index + 1}`), limits(give, { turn_limit: 30 - index }), {
              ...to,
              parent: scopeOf(here),
            });
            if (moved.ok) open.push(`l${index + 1}`);
          }
          while (open.length > 1) await budgeter.release(scopeOf(open.pop() ?? ""), to);
          const status = await budgeter.status(scopeOf("l0"));
          if (!status.ok) throw new Error("gone");
          const { spent, moved_to_children } = status.value;
          expect(spent.output_tokens + moved_to_children.tokens).toBe(spentInAll);
          expect(spentInAll).toBeLessThanOrEqual(total);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("concurrent calls never overspend together, whatever they ask for and use", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2_000 }),
      fc.array(fc.tuple(fc.nat(100), fc.nat(200), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 40 }),
      async (token_limit, calls) => {
        const { budgeter, to } = setUp();
        await budgeter.allocate(scopeOf("a"), limits(token_limit), to);
        await Promise.all(
          calls.map(async ([input, wanted, used]) => {
            const reserved = await budgeter.reserve(scopeOf("a"), ask(input, wanted, 0), to);
            if (!reserved.ok) return;
            await Promise.resolve();
            await budgeter.settle(
              reserved.value,
              {
                input_tokens: input,
                output_tokens: Math.floor(reserved.value.output_tokens * used),
                usd: 0,
                estimated: false,
              },
              to,
            );
          }),
        );
        const status = await budgeter.status(scopeOf("a"));
        if (!status.ok) throw new Error("gone");
        const { spent, reserved } = status.value;
        expect(spent.input_tokens + spent.output_tokens).toBeLessThanOrEqual(token_limit);
        expect(reserved).toEqual({ tokens: 0, usd: 0 });
      },
    ),
    { numRuns: 200 },
  );
});

test.each(["suspend", "release"] as const)(
  "%s: the pool keeps what was spent, is in flight or was handed on",
  async (end) => {
    const settled: unknown[] = [];
    const pool = {
      take: () => ok(undefined),
      settle: (_: unknown, spent: unknown) => {
        settled.push(spent);
        return ok(undefined);
      },
    };
    const { budgeter, to } = setUp({ pool });
    const order = scopeOf("a");
    await budgeter.allocate(order, limits(1_000, { usd_limit: 1_000 }), to);
    const first = await budgeter.reserve(order, ask(0, 50), to);
    if (!first.ok) throw new Error(first.error.message);
    await budgeter.settle(first.value, { input_tokens: 5, output_tokens: 15, usd: 20, estimated: false }, to);
    await budgeter.reserve(order, ask(100, 100), to);
    const child = limits(300, { usd_limit: 400, turn_limit: 5 });
    await budgeter.allocate(scopeOf("c"), child, { ...to, parent: order });
    expect(await budgeter[end](order, to)).toMatchObject({ ok: true });
    expect(settled).toEqual([{ tokens: 20 + 200 + 300, usd: 20 + 200 + 400, turns: 2 + 5 }]);
  },
);

test.each([undefined, 1_000])(
  "a child that spends more than it was given takes it from its parent (usd_limit %s)",
  async (usd_limit) => {
    const { budgeter, to } = setUp();
    const parent = scopeOf("a");
    const money = usd_limit === undefined ? {} : { usd_limit };
    await budgeter.allocate(parent, limits(1_000, money), to);
    const child = scopeOf("c");
    await budgeter.allocate(
      child,
      limits(100, { ...(usd_limit === undefined ? {} : { usd_limit: 100 }), turn_limit: 1 }),
      {
        ...to,
        parent,
      },
    );
    const reserved = await budgeter.reserve(child, ask(10, 20), to);
    if (!reserved.ok) throw new Error(reserved.error.message);
    await budgeter.settle(reserved.value, { input_tokens: 10, output_tokens: 290, usd: 300, estimated: false }, to);
    await budgeter.release(child, to);
    expect(await budgeter.status(parent)).toMatchObject({
      ok: true,
      value: { moved_to_children: { tokens: 300, usd: 300, turns: 1 } },
    });
  },
);

test("calls at once hold the limit on money together", async () => {
  const { budgeter, to } = setUp();
  await budgeter.allocate(scopeOf("a"), limits(1_000_000, { usd_limit: 100 }), to);
  const first = await budgeter.reserve(scopeOf("a"), ask(0, 60, 60), to);
  const stop = new AbortController();
  const second = budgeter.reserve(scopeOf("a"), ask(0, 60, 60), { ...to, signal: stop.signal });
  stop.abort();
  expect(first).toMatchObject({ ok: true });
  expect(await second).toMatchObject({ ok: false, error: { message: expect.stringContaining("usd_limit") } });
});
