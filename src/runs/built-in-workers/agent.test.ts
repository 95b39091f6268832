import { expect, test } from "vitest";
import type { KeyedOrder } from "#work";
import type { Lease } from "../kernel/records.ts";
import { agent } from "./agent.ts";

const orderFor = async (input: object): Promise<KeyedOrder> => {
  const orders: KeyedOrder[] = [];
  const ports = {
    runOrder: async (order: KeyedOrder) => {
      orders.push(order);
      return { status: "failure", error: "not here", session_id: null } as never;
    },
  };
  const lease = { run_id: "RUN-1", work_id: "WRK-1", objective: "write it", retry_count: 0, input } as unknown as Lease;
  await agent(ports as never)(lease, { signal: new AbortController().signal } as never);
  const [order] = orders;
  if (!order) throw new Error("no order was written");
  return order;
};

test("an item chooses strategy and framework of its order by their ids; without one it is planned, done and reviewed", async () => {
  const target = { op: "section.insert", heading: "Leases" };
  expect(await orderFor({ target })).toMatchObject({ type: "plan-work-review", framework_id: "FMWK-005" });
  const named = { strategy: "STR-VIEWS-001", framework: "FMWK-DESK", subject: "leases" };
  const own = { type: "STR-VIEWS-001", framework_id: "FMWK-DESK", input: { subject: "leases", prompt: "write it" } };
  expect(await orderFor({ target, ...named })).toMatchObject(own);
  expect(await orderFor(named)).toMatchObject({ ...own, io_schema: { output_schema: "patch_operations_v1" } });
  expect(await orderFor({})).toMatchObject({ type: "agent", prompt_contract_id: "PRC-AGENT-001" });
  expect(await orderFor({ framework: "FMWK-DESK" })).not.toHaveProperty("prompt_contract_id");
});
