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

test("no more flows run at once than the workspace says; the others wait for a place", async () => {
  await using narrow = await testWorkspace({ config: { max_concurrent_flows: 1 } });
  const seen: string[] = [];
  const watch = (name: string) => ({
    onEvent: ({ type }: { readonly type: string }) => {
      if (type === "session.start" || type === "session.close") seen.push(`${name} ${type}`);
    },
  });
  const results = await Promise.all(["a", "b", "c"].map((name) => narrow.order({}, watch(name))));
  expect(results.map(({ status }) => status)).toEqual(["success", "success", "success"]);
  expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} session.start`, `${name} session.close`]));
});

const sleeping = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "sleep 60", timeout: 50 }] }] } };

test.each([
  ["a model that is silent", { rules: [{ respond: { text: "late", delay_ms: 60_000 } }], config: {} }],
  ["a hook that sleeps", { rules: [], config: sleeping }],
])("the workspace's time limit ends a flow that may take longer by its order: %s", async (_, { rules, config }) => {
  await using hasty = await testWorkspace({ rules, config: { ...config, limits: { flow_timeout_seconds: 0.4 } } });
  const result = await hasty.order();
  expect(result).toMatchObject({ status: "timeout", response: null });
  expect(result.error).toContain("limits.flow_timeout_seconds");
  const events = await hasty.events(result.session_id);
  expect(events.at(-1)).toMatchObject({ type: "session.close", payload: { ok: false, status: "timeout" } });
});
