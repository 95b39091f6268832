// Generated malformed work orders (WRIT_CAMPAIGN=1: 100,000): each ends as a `rejected` FlowResult with a WO_REJECTED entry; none crashes, none acts.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "#log";
import { testWorkspace, workOrder } from "../support/runtime-workspace.ts";

const count = process.env["WRIT_CAMPAIGN"] ? 100_000 : 2_000;
const required = ["work_order_id", "type", "plane_id", "spec_id", "framework_id", "scope", "acceptance"];
const junk = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.array(fc.anything(), { maxLength: 3 }),
  fc.object({ maxDepth: 2 }),
  fc.boolean(),
  fc.bigInt(),
  fc.constant(() => 1),
  fc.constant(Symbol("x")),
);

/** Ways to spoil an order that was good: each must be enough. */
const spoiled = fc.oneof(
  fc.constantFrom(...required).map((field) => workOrder({ [field]: undefined })),
  fc
    .tuple(
      fc.constantFrom("work_order_id", "plane_id", "spec_id", "framework_id", "type"),
      fc.oneof(
        fc.constant(""),
        fc.constant("../../etc/passwd"),
        fc.integer(),
        fc.constant("__proto__"),
        fc.string({ minLength: 129, maxLength: 300 }),
      ),
    )
    .map(([field, value]) => workOrder({ [field]: value })),
  fc
    .tuple(
      fc.constantFrom("scope", "acceptance", "budget", "input", "io_schema", "authorization", "tool_permissions"),
      fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    )
    .map(([field, value]) => workOrder({ [field]: value })),
  fc
    .tuple(fc.string({ minLength: 1 }), junk)
    .filter(([key]) => !(key in workOrder()))
    .map(([key, value]) => ({ ...workOrder(), [`x${key}`]: value })),
  fc
    .constantFrom(
      { token_limit: -1 },
      { token_limit: 0 },
      { token_limit: 1.5 },
      { tokenlimit: 10 },
      { turn_limit: "1" },
      { usd_limit: -0.01 },
      { timeout_seconds: Number.NaN },
    )
    .map((budget) => workOrder({ budget })),
  fc.constantFrom("FMWK-404", "FMWK-", "fmwk-005").map((framework_id) => workOrder({ framework_id })),
  junk,
);

test(`${count.toLocaleString("en-US")} malformed work orders are rejected, logged, and act on nothing`, async () => {
  await using workspace = await testWorkspace({ rules: [{ respond: { text: "this must never be said" } }] });
  const { runtime } = workspace;
  const orders = fc.sample(spoiled, { numRuns: count, seed: 20261115 });
  const withSession: string[] = [];
  let inIntake = 0;
  for (let start = 0; start < orders.length; start += 500) {
    const results = await Promise.all(
      orders
        .slice(start, start + 500)
        .map((order) => runtime.runFlow({ work_order: order as never, caller_id: runtime.caller })),
    );
    for (const [index, result] of results.entries()) {
      if (result.status !== "rejected")
        throw new Error(
          `order ${start + index} ended as ${result.status} (${result.error}): ${JSON.stringify(orders[start + index])}`,
        );
      expect(result.ledger_entry_ids.length).toBeGreaterThan(0);
      if (result.session_id == null) inIntake += 1;
      else withSession.push(result.session_id);
    }
  }
  expect(inIntake + withSession.length).toBe(count);
  let rejections = 0;
  for await (const info of runtime.log.list()) {
    if (!info.ok) throw new Error(info.error.message);
    const events: Event[] = await workspace.events(info.value.session_id);
    rejections += events.filter((event) => event.type === "wo.rejected").length;
    expect(
      events.some(
        (event) => event.type === "llm.request" || event.type === "wo.started" || event.type === "tool.invoke",
      ),
    ).toBe(false);
  }
  expect(rejections).toBe(count);
}, 180_000);
