// Every refusal of the budgeter: the error that the caller gets, and that no tokens or money are spent, reserved or moved.
import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { createIds, err, ok, type Result, seededRandom } from "#core/values";
import type { Recorder } from "#log";
import { memoryRecorder } from "../../../test/support/memory-recorder.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { Budgeter, BudgetScope } from "./budgeter.ts";
import { type BudgeterOptions, createBudgeter } from "./create-budgeter.ts";

const price = { input_per_million: 1_000_000, output_per_million: 1_000_000 }; // a dollar a token
const of = (work_order_id: string): BudgetScope => ({ session_id: "SES-1", work_order_id, agent_id: "AGT-1" });
const parent = of("parent");
const hundred = { token_limit: 100, turn_limit: 2, timeout_seconds: 60, usd_limit: 100 };
const ask = { model: "m", price, input_tokens: 10, output_wanted: 20, output_least: 10 };
const broke = domainError("BUDGET_EXHAUSTED", "the workspace has spent its money");

interface Row {
  readonly when: string;
  readonly code: string;
  readonly says: string;
  readonly options?: Partial<BudgeterOptions>;
  /** The call under test; the parent has a budget of 100. */
  readonly act: (budgeter: Budgeter, recorder: Recorder) => Promise<Result<unknown>>;
}

const allocate = (limits: object, under?: BudgetScope) => (budgeter: Budgeter, recorder: Recorder) =>
  budgeter.allocate(of("child"), { ...hundred, ...limits }, { recorder, ...(under ? { parent: under } : {}) });
const reserve =
  (more: object, who = parent) =>
  (budgeter: Budgeter, recorder: Recorder) =>
    budgeter.reserve(who, { ...ask, ...more }, { recorder });
const spent = { input_tokens: 1, output_tokens: 1, usd: 2, estimated: false };
const full = (recorder: Recorder): Recorder => ({
  session_id: recorder.session_id,
  append: () => Promise.resolve(err(domainError("LEDGER_UNAVAILABLE", "no space left"))),
  stage: () => err(domainError("LEDGER_UNAVAILABLE", "no space left")),
});

const rows: readonly Row[] = [
  {
    when: "an order is given a budget twice",
    code: "BUDGET_EXHAUSTED",
    says: "already",
    act: (budgeter, recorder) => budgeter.allocate(parent, hundred, { recorder }),
  },
  {
    when: "an order asks for more tokens than a session may spend",
    code: "BUDGET_EXHAUSTED",
    says: "session_budget.token_limit",
    options: { session: { token_limit: 100, usd_limit: null } },
    act: allocate({ token_limit: 101 }),
  },
  {
    when: "an order asks for more money than a session may spend",
    code: "BUDGET_EXHAUSTED",
    says: "session_budget.usd_limit",
    options: { session: { token_limit: null, usd_limit: 100 } },
    act: allocate({ usd_limit: 101 }),
  },
  {
    when: "an order asks for money without a limit and a session has one",
    code: "BUDGET_EXHAUSTED",
    says: "without a limit",
    options: { session: { token_limit: null, usd_limit: 100 } },
    act: allocate({ usd_limit: undefined }),
  },
  {
    when: "the workspace's pool is spent",
    code: "BUDGET_EXHAUSTED",
    says: "spent its money",
    options: {
      pool: {
        take: (order) => (order.work_order_id === "parent" ? ok(undefined) : err(broke)),
        settle: () => ok(undefined),
      },
    },
    act: allocate({}),
  },
  { when: "the parent has no budget", code: "BUDGET_EXHAUSTED", says: "no budget", act: allocate({}, of("nobody")) },
  {
    when: "a child asks for more tokens than its parent has",
    code: "BUDGET_EXHAUSTED",
    says: "its parent has 100",
    act: allocate({ token_limit: 101 }, parent),
  },
  {
    when: "a child asks for more calls than its parent has",
    code: "BUDGET_EXHAUSTED",
    says: "model calls",
    act: allocate({ turn_limit: 3 }, parent),
  },
  {
    when: "a child asks for more money than its parent has",
    code: "BUDGET_EXHAUSTED",
    says: "$101",
    act: allocate({ usd_limit: 101 }, parent),
  },
  {
    when: "a child of an order with a limit on money has none",
    code: "BUDGET_EXHAUSTED",
    says: "needs one too",
    act: allocate({ usd_limit: undefined }, parent),
  },
  {
    when: "a call is made for an order without a budget",
    code: "BUDGET_EXHAUSTED",
    says: "no budget is allocated for nobody",
    act: reserve({}, of("nobody")),
  },
  {
    when: "the tokens do not suffice for the least answer",
    code: "BUDGET_EXHAUSTED",
    says: "budget.token_limit",
    act: reserve({ input_tokens: 91 }),
  },
  {
    when: "the money does not suffice",
    code: "BUDGET_EXHAUSTED",
    says: "budget.usd_limit",
    act: reserve({ price: { input_per_million: 1e7, output_per_million: 1e7 } }),
  },
  {
    when: "no price is known, and money is limited",
    code: "PRICE_UNKNOWN",
    says: "no price of m is known",
    act: reserve({ price: undefined }),
  },
  {
    when: "every call is spent",
    code: "BUDGET_EXHAUSTED",
    says: "budget.turn_limit",
    act: async (budgeter, recorder) => {
      for (let call = 0; call < 2; call++) {
        const reserved = await budgeter.reserve(parent, ask, { recorder });
        if (reserved.ok)
          await budgeter.settle(reserved.value, { ...spent, input_tokens: 0, output_tokens: 0, usd: 0 }, { recorder });
      }
      return budgeter.reserve(parent, ask, { recorder });
    },
  },
  {
    when: "the pace is exceeded",
    code: "RATE_LIMITED",
    says: "slowly",
    options: { rate: { admit: async () => err(domainError("RATE_LIMITED", "slowly")) } },
    act: reserve({}),
  },
  {
    when: "the log cannot take a reservation",
    code: "LEDGER_UNAVAILABLE",
    says: "no space",
    act: (budgeter, recorder) => budgeter.reserve(parent, ask, { recorder: full(recorder) }),
  },
  {
    when: "what was never set aside is settled",
    code: "BUDGET_EXHAUSTED",
    says: "no budget",
    act: (budgeter, recorder) =>
      budgeter.settle({ id: "RSV-1", scope: of("nobody"), ...ask, output_tokens: 1, usd: 1 }, spent, { recorder }),
  },
  {
    when: "the status of nobody is asked",
    code: "BUDGET_EXHAUSTED",
    says: "no budget",
    act: (budgeter) => budgeter.status(of("nobody")),
  },
  {
    when: "a budget is released twice",
    code: "BUDGET_EXHAUSTED",
    says: "no budget",
    act: (budgeter, recorder) => budgeter.release(of("child"), { recorder }),
  },
];

describe("the budgeter's error table", () => {
  test.each(rows)("when $when: $code", async ({ code, says, options, act }) => {
    const recorder = memoryRecorder();
    const budgeter = createBudgeter({ ids: createIds(manualClock(), seededRandom(1)), ...options });
    expect(await budgeter.allocate(parent, hundred, { recorder })).toMatchObject({ ok: true });
    const refused = await act(budgeter, recorder);
    expect(refused).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(says) } });
    expect(await budgeter.status(parent)).toMatchObject({
      value: {
        limits: hundred,
        spent: { input_tokens: 0, output_tokens: 0, usd: 0 },
        reserved: { tokens: 0, usd: 0 },
        moved_to_children: { tokens: 0, usd: 0, turns: 0 },
      },
    });
  });

  test("a call that waits for one in flight is canceled at once", async () => {
    const recorder = memoryRecorder();
    const budgeter = createBudgeter({ ids: createIds(manualClock(), seededRandom(1)) });
    await budgeter.allocate(parent, hundred, { recorder });
    await budgeter.reserve(parent, { ...ask, input_tokens: 70 }, { recorder });
    const stop = new AbortController();
    const waiting = budgeter.reserve(parent, ask, { recorder, signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ ok: false, error: { code: "BUDGET_EXHAUSTED" } });
  });

  test("a provider that used more than was set aside is counted in full, and the next call is refused", async () => {
    const recorder = memoryRecorder();
    const budgeter = createBudgeter({ ids: createIds(manualClock(), seededRandom(1)) });
    await budgeter.allocate(parent, hundred, { recorder });
    const reserved = await budgeter.reserve(parent, ask, { recorder });
    if (!reserved.ok) throw new Error(reserved.error.message);
    await budgeter.settle(reserved.value, { ...spent, output_tokens: 5_000 }, { recorder });
    expect(await budgeter.status(parent)).toMatchObject({ value: { spent: { output_tokens: 5_000 } } });
    await budgeter.allocate(of("other"), hundred, { recorder });
    await budgeter.reserve(of("other"), ask, { recorder });
    expect(budgeter.summary("SES-1")).toMatchObject({
      orders: { parent: { reserved: { tokens: 0 } }, other: { reserved: { tokens: 30 } } },
      spent: { input_tokens: 1, output_tokens: 5_000, usd: 2, turns: 2 },
      reserved: { tokens: 30, usd: 30 },
    });
    expect(await budgeter.reserve(parent, ask, { recorder })).toMatchObject({ error: { code: "BUDGET_EXHAUSTED" } });
  });
});
