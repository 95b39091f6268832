// What an order promises beside the seed: it acts once, and its input is what it says.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({ rules: [{ respond: { text: "Hello, Ada" } }] });
});
afterAll(() => workspace[Symbol.asyncDispose]());

test("the same order submitted twice gives the first result, not a second execution", async () => {
  const order = workOrder({ idempotency_key: "once" });
  const request = { work_order: order, caller_id: workspace.runtime.caller };
  const [first, second] = await Promise.all([workspace.runtime.runFlow(request), workspace.runtime.runFlow(request)]);
  const third = await workspace.runtime.runFlow(request);
  expect(first.session_id).toBe(second.session_id);
  expect(third).toMatchObject({ session_id: first.session_id, response: first.response, deduplicated: true });
  const other = { ...request, work_order: { ...order, input: { prompt: "something else" } } };
  expect(await workspace.runtime.runFlow(other)).toMatchObject({
    status: "rejected",
    error_code: "WORK_ORDER_INVALID",
  });
  // A key names what is asked, not the number under which it is asked again.
  const again = { ...request, work_order: { ...workOrder(), idempotency_key: "once" } };
  expect(await workspace.runtime.runFlow(again)).toMatchObject({ session_id: first.session_id, deduplicated: true });
  const input = { prompt: "something else" };
  const sameKey = { ...request, work_order: { ...workOrder({ input }), idempotency_key: "once" } };
  expect(await workspace.runtime.runFlow(sameKey)).toMatchObject({
    status: "rejected",
    error_code: "WORK_ORDER_INVALID",
  });
});

test("an order's input is validated by its input_schema before anything acts", async () => {
  const io_schema = { input_schema: { type: "object", required: ["city"], properties: { city: { type: "string" } } } };
  expect(await workspace.order({ io_schema })).toMatchObject({ status: "rejected", error_code: "WORK_ORDER_INVALID" });
  expect(await workspace.order({ io_schema, input: { prompt: "Say hello", city: "Leeuwarden" } })).toMatchObject({
    status: "success",
  });
});
