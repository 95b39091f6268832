// FMWK-005: Every agent execution MUST be governed by a work order — no open-ended permissions.
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

test("every session that reached a model or a tool names its work order before it did", async () => {
  await using workspace = await testWorkspace();
  const results = [await workspace.ask("greet Ada"), await workspace.order(), await workspace.ask("what is this?")];
  for (const { session_id, work_order_id } of results) {
    const events = await workspace.events(session_id);
    const started = events.findIndex((event) => event.type === "wo.started");
    const acted = events.findIndex((event) => event.type === "llm.request" || event.type === "tool.invoke");
    expect(started).toBeGreaterThan(0);
    expect(acted).toBeGreaterThan(started);
    expect(events[0]?.payload).toMatchObject({ work_order_id });
  }
});

test("an order without permissions grants no tool, whatever the model asks for", async () => {
  await using workspace = await testWorkspace({
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "echo", args: { text: "x" } }] } },
      { respond: { text: "so be it" } },
    ],
  });
  const result = await workspace.order({ budget: { token_limit: 5000, turn_limit: 3 } });
  const types = (await workspace.events(result.session_id)).map((event) => event.type);
  expect(types).toContain("tool.refused");
  expect(types).not.toContain("tool.invoke");
});
