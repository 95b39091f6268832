import { afterAll, expect, test } from "vitest";
import { systemClock } from "#core/values";
import { cliWith } from "../../../test/support/fresh-cli.ts";
import { testWorkspace } from "../../../test/support/runtime-workspace.ts";

const day = 86_400_000;
const workspace = await testWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const writ = (argv: readonly string[], later: number) =>
  cliWith({ cwd: workspace.root, clock: { ...systemClock, now: () => systemClock.now() + later } }, ...argv);

test("orders that ended longer ago than said are let go of, and no others", async () => {
  const { store } = workspace.runtime;
  const order = { work_order_id: "WO-1", idempotency_key: null, order_hash: "h", session_id: "S" };
  await store.claimOrders([order, { ...order, work_order_id: "WO-2" }]);
  await store.finishOrders([{ work_order_id: "WO-1", result: "{}" }]);
  await workspace.runtime.close();
  expect(JSON.parse((await writ(["prune", "--json"], 89 * day)).text).pruned).toMatchObject({ work_orders: 0 });
  const pruned = await writ(["prune", "--json"], 91 * day);
  expect(pruned).toMatchObject({ status: 0, errors: "" });
  expect(JSON.parse(pruned.text).pruned).toEqual({ request_keys: 0, work_orders: 1, contexts: 0, sealed_values: 0 });
  for (const days of ["0", "-5", "1e300", "soon"]) {
    const refused = await writ(["prune", "--older-than", days], 0);
    expect(refused.status, days).toBe(2);
    expect(refused.errors).toContain("a number of days from 1 to 36500");
  }
});
