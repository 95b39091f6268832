// Kill -9 in each of the nine steps, then restart: the ledger tells the truth, the budget adds up, a reservation in flight counts.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foldBudget } from "#agents";
import type { Event } from "#log";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { openSharedStore } from "../../src/operate/store/sqlite-shared-store.ts";
import { runChild } from "../support/child.ts";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const budget = { token_limit: 1_000, turn_limit: 3, timeout_seconds: 60 };
const pool = 1_500;

/** What the killed order has used of the shared budget by then: nothing, its reservation, or what it really spent. */
const moments: readonly (readonly [string, string, (order: { readonly reserved: number }) => number])[] = [
  ["before step 1", "session.start", () => 0],
  ["steps 1 and 2, order and framework looked at", "hook.fired", () => 0],
  ["step 3, money set aside", "budget.allocate", () => 0],
  ["step 4, announced", "wo.started", () => 0],
  ["step 5, context assembled", "attention.assembled", () => 0],
  ["step 6, money reserved", "budget.reserve", ({ reserved }) => reserved],
  ["step 6, prompt sent", "llm.request", ({ reserved }) => reserved],
  ["step 6, answer received", "llm.response", ({ reserved }) => reserved],
  // Staged, so durable only with the next append: until then the reservation counts.
  ["step 6, settled", "budget.settle", ({ reserved }) => (reserved > 0 ? reserved : 15)],
  ["step 7, checked", "acceptance.checked", ({ reserved }) => (reserved > 0 ? reserved : 15)],
  ["step 8, logged", "wo.completed", () => 15],
  ["step 9, closed", "session.close", () => 15],
];

describe("kill -9 during a flow", () => {
  test.each(moments)("%s (%s)", async (_, killAt, spent) => {
    await using workspace = await testWorkspace({
      rules: [{ respond: { text: "Hello, Ada", usage: { input_tokens: 12, output_tokens: 3 } } }],
      config: { workspace_budget: { token_limit: pool }, max_output_tokens: 200 },
    });
    const order = workOrder({ budget });
    await workspace.runtime.close();
    const killed = await runChild("flow-child.mjs", { root: workspace.root, orders: [order], killAt });
    expect(killed.signal, killed.stderr).toBe("SIGKILL");
    await workspace.reopen();

    // An order for everything that is left of the pool is affordable exactly when the dead one's share was settled rightly.
    const probe = await workspace.order({ budget: { token_limit: 1, turn_limit: 1 } });
    expect(probe.status).toBe("rejected"); // a single token buys no prompt; but its session finished the dead journal
    const sessions: Event[][] = [];
    for await (const info of workspace.runtime.log.list()) {
      if (!info.ok) throw new Error(info.error.message);
      const events = await workspace.events(info.value.session_id);
      const start = events[0]?.payload as { work_order_id?: string } | undefined;
      if (start?.work_order_id === order["work_order_id"]) sessions.push(events);
    }
    const events = sessions[0] ?? [];
    const status = foldBudget(events, String(order["work_order_id"]));
    const reserved = status?.reserved.tokens ?? 0;
    const store = openSharedStore(join(workspace.root, "planes/hot/store.db"), manualClock());
    if (!store.ok) throw new Error(store.error.message);
    for (const info of sessions.flat().slice(0, 1))
      expect(await store.value.openBudgetShares(info.session_id)).toEqual({ ok: true, value: [] });
    await store.value.close();
    const used = spent({ reserved });
    const left = pool - used;
    const tooMuch = await workspace.order({ budget: { token_limit: left + 1, turn_limit: 2 } });
    expect(tooMuch).toMatchObject({ status: "rejected", error_code: "BUDGET_EXHAUSTED" });
    expect(await workspace.order({ budget: { token_limit: left, turn_limit: 2 } })).toMatchObject({
      status: "success",
    });

    // Announced means durable: no model was asked without its llm.request, and nothing was paid for twice.
    expect(events.filter((event) => event.type === "llm.request").length).toBeLessThanOrEqual(1);
    if (["llm.response", "budget.settle", "acceptance.checked", "wo.completed", "session.close"].includes(killAt))
      expect(events.some((event) => event.type === "llm.request")).toBe(true);
  });
});
