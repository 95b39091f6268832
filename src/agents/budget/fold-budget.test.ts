import { expect, test } from "vitest";
import { createIds, seededRandom } from "#core/values";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { BudgetScope } from "./budgeter.ts";
import { createBudgeter } from "./create-budgeter.ts";
import { foldBudget } from "./fold-budget.ts";

const price = { input_per_million: 1_000_000, output_per_million: 1_000_000 }; // a dollar a token
const scopeOf = (order: string): BudgetScope => ({ session_id: "SES-1", work_order_id: order, agent_id: "AGT-1" });
const limits = (token_limit: number, more: object = {}) => ({
  token_limit,
  turn_limit: 1_000,
  timeout_seconds: 60,
  ...more,
});
const ask = (input_tokens: number, output_wanted: number) => ({
  model: "m",
  price,
  input_tokens,
  output_wanted,
  output_least: 1,
});

function setUp() {
  const recorder = memoryRecorder();
  const budgeter = createBudgeter({ ids: createIds(manualClock(), seededRandom(1)) });
  return { recorder, budgeter, to: { recorder } };
}

test("the state is rebuilt from the ledger, and a reservation in flight counts", async () => {
  const { budgeter, recorder, to } = setUp();
  await budgeter.allocate(scopeOf("a"), limits(1_000, { usd_limit: 500 }), to);
  const first = await budgeter.reserve(scopeOf("a"), ask(10, 40), to);
  if (first.ok)
    await budgeter.settle(first.value, { input_tokens: 10, output_tokens: 7, usd: 17, estimated: false }, to);
  await budgeter.reserve(scopeOf("a"), ask(20, 100), to);
  const lived = await budgeter.status(scopeOf("a"));
  const folded = foldBudget(recorder.events, "a");
  expect(folded).toMatchObject({
    spent: { input_tokens: 10, output_tokens: 7, turns: 2 },
    reserved: { tokens: 120, usd: 120 },
  });
  expect(lived.ok && { spent: lived.value.spent, reserved: lived.value.reserved }).toEqual({
    spent: folded?.spent,
    reserved: folded?.reserved,
  });
});

test("what a persona spends of its share counts for the order, with all that was spent before it", async () => {
  const { budgeter, recorder, to } = setUp();
  const order = scopeOf("a");
  const share = { ...order, share: "draft.1.author" };
  const spend = async (scope: BudgetScope, tokens: number) => {
    const reserved = await budgeter.reserve(scope, ask(0, tokens), to);
    if (!reserved.ok) throw new Error(reserved.error.message);
    await budgeter.settle(
      reserved.value,
      { input_tokens: 0, output_tokens: tokens, usd: tokens, estimated: false },
      to,
    );
  };
  await budgeter.allocate(order, limits(1_000, { usd_limit: 500 }), to);
  await spend(order, 70);
  await budgeter.allocate(share, limits(100, { usd_limit: 100, turn_limit: 5 }), { ...to, parent: order });
  await spend(share, 20);
  await budgeter.reserve(share, ask(0, 7), to);
  expect(foldBudget(recorder.events, "a")).toMatchObject({
    limits: { token_limit: 1_000, usd_limit: 500 },
    spent: { output_tokens: 90, usd: 90, turns: 3 },
    reserved: { tokens: 7, usd: 7 },
  });
});

test("another order's spending in the same session is not this one's, and a call is settled once", async () => {
  const { budgeter, recorder, to } = setUp();
  for (const name of ["a", "b"]) await budgeter.allocate(scopeOf(name), limits(1_000), to);
  const first = await budgeter.reserve(scopeOf("a"), ask(10, 40), to);
  await budgeter.reserve(scopeOf("b"), ask(300, 300), to);
  if (!first.ok) throw new Error(first.error.message);
  for (let times = 0; times < 2; times++)
    recorder.stage({
      type: "budget.updated",
      actor: "budget",
      payload: {
        action: "settle",
        work_order_id: "a",
        agent_id: "AGT-1",
        reservation_id: first.value.id,
        input_tokens: 10,
        output_tokens: 5,
        usd: 15,
        turns: 0,
        left: { tokens: 985, turns: 999 },
      },
    });
  expect(foldBudget(recorder.events, "a")).toMatchObject({
    spent: { input_tokens: 10, output_tokens: 5, usd: 15, turns: 1 },
    reserved: { tokens: 0, usd: 0 },
  });
});
