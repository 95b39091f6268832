import { afterAll, expect, test } from "vitest";
import { seededRandom, systemClock } from "#base";
import { testWorkspace } from "../../../test/support/runtime-workspace.ts";
import { runCli } from "../main.ts";

const day = 86_400_000;
const workspace = await testWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

async function writ(argv: readonly string[], later: number) {
  const said = { stdout: "", stderr: "" };
  const output = (name: keyof typeof said) => ({
    write: (text: string) => void (said[name] += text),
    isTTY: false,
    columns: 100,
  });
  const status = await runCli(argv, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: {},
    cwd: workspace.root,
    clock: { ...systemClock, now: () => systemClock.now() + later },
    random: seededRandom(1),
    signal: new AbortController().signal,
    version: "9.9.9",
  });
  return { status, ...said };
}

test("orders that ended longer ago than said are let go of, and no others", async () => {
  const { store } = workspace.runtime;
  const order = { work_order_id: "WO-1", idempotency_key: null, order_hash: "h", session_id: "S" };
  await store.claimOrders([order, { ...order, work_order_id: "WO-2" }]);
  await store.finishOrders([{ work_order_id: "WO-1", result: "{}" }]);
  await workspace.runtime.close();
  expect(JSON.parse((await writ(["prune", "--json"], 89 * day)).stdout).pruned).toMatchObject({ work_orders: 0 });
  const pruned = await writ(["prune", "--json"], 91 * day);
  expect(pruned).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(pruned.stdout).pruned).toEqual({ request_keys: 0, work_orders: 1, contexts: 0 });
  const refused = await writ(["prune", "--older-than", "0"], 0);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain("at least 1");
});
