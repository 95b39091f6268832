// Seed 000's tests 1 to 36, by number and name (37 to 40: flow-runner-v2), through real components: real log, real budgeter, real router, real registries.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Event, type EventType } from "#log";
import { firstOf } from "../../src/log/narrow-event.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({
    config: {
      identity: {
        local_caller: "ada@local",
        local_roles: ["admin"],
        callers: { "ada@local": { roles: ["admin"] }, "vera@local": { roles: ["viewer"] } },
      },
      session_budget: { token_limit: 500_000 },
    },
    rules: [
      { when: { prompt: "json please" }, respond: { json: { greeting: "hello" } } },
      { when: { prompt: "slow please" }, respond: { text: "late", delay_ms: 60_000 } },
      { when: { prompt: "broken please" }, respond: { error: { status: 500 } } },
      { when: { prompt: "Say hello" }, respond: { text: "Hello, Ada", usage: { input_tokens: 12, output_tokens: 3 } } },
    ],
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const payload = <T extends EventType>(events: readonly Event[], type: T): Event<T>["payload"] => {
  const found = firstOf(events, type);
  if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type).join(", ")}`);
  return found.payload;
};
const ledger = async (session: string | null | undefined) => {
  await workspace.runtime.log.flush();
  const text = await workspace.read(`planes/ho1/sessions/${session}/ledger/exec.jsonl`);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; type: string; payload: Record<string, unknown> });
};

describe("work order validation (step 1)", () => {
  test("1. test_valid_wo_accepted", async () => {
    expect(await workspace.order()).toMatchObject({ status: "success", error: null });
  });
  test("2. test_invalid_wo_rejected", async () => {
    expect(await workspace.order({ budget: { token_limit: "many" } })).toMatchObject({
      status: "rejected",
      error_code: "WORK_ORDER_INVALID",
    });
    expect(
      await workspace.runtime.runFlow({ work_order: [] as never, caller_id: workspace.runtime.caller }),
    ).toMatchObject({ status: "rejected" });
  });
  test.each(["work_order_id", "type", "plane_id", "spec_id", "framework_id", "scope", "acceptance"])(
    "3. test_missing_required_fields_rejected: %s",
    async (field) => {
      const result = await workspace.order({ [field]: undefined });
      expect(result).toMatchObject({
        status: "rejected",
        error_code: "WORK_ORDER_INVALID",
        error: expect.stringContaining(field),
      });
    },
  );
  test("4. test_authorization_validated", async () => {
    const all = ["order.submit", "framework:FMWK-005", "class:RESIDENT"];
    const chain = (from: string) => ({ authorization: { chain: [{ from, to: "ada@local", grants: all }] } });
    expect(await workspace.order(chain("ada@local"))).toMatchObject({ status: "success" });
    expect(await workspace.order(chain("mallory"))).toMatchObject({ status: "rejected", error_code: "NOT_AUTHORIZED" });
    expect(await workspace.order(chain("vera@local"))).toMatchObject({
      status: "rejected",
      error_code: "NOT_AUTHORIZED",
    });
  });
  test("5. test_wo_rejected_logged", async () => {
    const result = await workspace.order({ framework_id: "FMWK-999" });
    expect(payload(await workspace.events(result.session_id), "wo.rejected")).toMatchObject({
      error: { code: "FRAMEWORK_NOT_FOUND" },
    });
    expect((await ledger(result.session_id)).map((entry) => entry.type)).toContain("WO_REJECTED");
    const malformed = await workspace.order({ scope: undefined });
    expect(malformed.session_id).toBeNull();
    expect(malformed.ledger_entry_ids).toHaveLength(1); // in the intake log on hot
  });
});

describe("framework resolution (step 2)", () => {
  test("6. test_framework_found", async () => {
    const started = payload(await workspace.events((await workspace.order()).session_id), "wo.started");
    expect(started.framework_id).toBe("FMWK-005");
  });
  test("7. test_framework_not_found_rejected", async () => {
    expect(await workspace.order({ framework_id: "FMWK-999" })).toMatchObject({
      status: "rejected",
      error_code: "FRAMEWORK_NOT_FOUND",
    });
  });
  test("8. test_agent_class_from_wo", async () => {
    const result = await workspace.order({ agent_class: "ADMIN" });
    expect(payload(await workspace.events(result.session_id), "wo.started").agent_class).toBe("ADMIN");
  });
  test("9. test_agent_class_not_permitted", async () => {
    expect(await workspace.order({ agent_class: "KERNEL.syntactic" })).toMatchObject({
      status: "rejected",
      error_code: "AGENT_CLASS_NOT_PERMITTED",
    });
  });
  test("10. test_agent_id_generated", async () => {
    const [one, two] = [await workspace.order(), await workspace.order()];
    expect(one.agent_id).toMatch(new RegExp(`^AGT-FMWK-005-${one.work_order_id}-[0-9a-z]{26}$`));
    expect(one.agent_id).not.toBe(two.agent_id);
  });
  test.each(["hot", "ho2", "ho1"])("11. test_tier_from_plane_id: %s", async (plane_id) => {
    const result = await workspace.order({ plane_id });
    expect(payload(await workspace.events(result.session_id), "wo.started").tier).toBe(plane_id);
    expect(await workspace.runtime.log.locate(result.session_id as never)).toMatchObject({
      ok: true,
      value: { tier: plane_id },
    });
  });
});

describe("budget allocation (step 3)", () => {
  const allocated = async (changes: object) =>
    payload(await workspace.events((await workspace.order(changes)).session_id), "wo.started").budget_scope;
  test("12. test_budget_from_wo", async () => {
    expect(await allocated({ budget: { token_limit: 777, turn_limit: 3, timeout_seconds: 9 } })).toMatchObject({
      token_limit: 777,
      turn_limit: 3,
      timeout_seconds: 9,
    });
  });
  test("13. test_default_budget_when_absent", async () => {
    expect(await allocated({ budget: undefined })).toMatchObject({
      ...workspace.runtime.config.budget,
      usd_limit: 0.5,
    });
  });
  test("14. test_budget_denied_rejects", async () => {
    expect(await workspace.order({ budget: { token_limit: 500_001 } })).toMatchObject({
      status: "rejected",
      error_code: "BUDGET_EXHAUSTED",
    });
  });
  test("15. test_budget_scope_correct", async () => {
    const result = await workspace.order();
    expect(payload(await workspace.events(result.session_id), "wo.started").budget_scope).toMatchObject({
      session_id: result.session_id,
      work_order_id: result.work_order_id,
      agent_id: result.agent_id,
    });
  });
});

describe("execution context (step 4)", () => {
  test("16. test_context_created", async () => {
    const started = payload(await workspace.events((await workspace.order()).session_id), "wo.started");
    for (const field of [
      "agent_id",
      "agent_class",
      "framework_id",
      "tier",
      "work_order",
      "prompt_contracts",
      "budget_scope",
      "path_authorizations",
      "tool_permissions",
      "session_id",
      "created_at",
    ])
      expect(started).toHaveProperty(field);
  });
  test("17. test_prompt_contracts_resolved", async () => {
    expect(
      payload(await workspace.events((await workspace.order()).session_id), "wo.started").prompt_contracts,
    ).toEqual(["PRC-ANSWER-001"]);
  });
  test("18. test_path_authorizations_set", async () => {
    expect(
      payload(await workspace.events((await workspace.order()).session_id), "wo.started").path_authorizations,
    ).toEqual(["**"]);
  });
  test("19. test_tool_permissions_set", async () => {
    const result = await workspace.order({ tool_permissions: ["echo", { tool: "fs.read", max_calls: 2 }] });
    expect(payload(await workspace.events(result.session_id), "wo.started").tool_permissions).toEqual([
      "echo",
      "fs.read",
    ]);
  });
  test("20. test_wo_started_logged", async () => {
    const result = await workspace.order();
    const entry = (await ledger(result.session_id)).find(({ type }) => type === "WO_STARTED");
    expect(entry?.payload).toMatchObject({
      work_order_id: result.work_order_id,
      agent_id: result.agent_id,
      framework_id: "FMWK-005",
      tier: "ho1",
      caller_id: "ada@local",
      dev_mode: false,
    });
  });
});

describe("attention (step 5)", () => {
  test("21. test_attention_called", async () => {
    await using told = await testWorkspace({ files: { "AGENTS.md": "Always answer in Frisian." } });
    const result = await told.order({ scope: { read_files: ["AGENTS.md"] } });
    const request = payload(await told.events(result.session_id), "llm.request");
    expect(request.context_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(request.context_hash).not.toBe(
      payload(await workspace.events((await workspace.order()).session_id), "llm.request").context_hash,
    );
  });
});

describe("attention (step 5), warnings and failures", () => {
  const template = (text: string) => ({
    "frameworks/FMWK-005_Agent_Orchestration/attention_templates/ATT-GENERAL-001.yaml": `template_id: ATT-GENERAL-001\nversion: "9.0.0"\napplies_to: { framework_id: [FMWK-005] }\n${text}`,
  });
  test("22. test_attention_warnings_logged", async () => {
    const files = template(
      "pipeline:\n  - { type: file_read, name: missing, paths: [not-there.md], on_error: skip }\non_empty: proceed\n",
    );
    await using told = await testWorkspace({ files });
    expect((await told.runtime.packages.adopt()).ok).toBe(true); // what governs has an owner, or no flow starts
    const result = await told.order();
    expect(result.status).toBe("success");
    expect(JSON.stringify(payload(await told.events(result.session_id), "attention.assembled"))).toContain(
      "not-there.md",
    );
  });
  test("23. test_attention_failure_handled", async () => {
    const files = template(
      "pipeline:\n  - { type: file_read, name: missing, paths: [not-there.md], on_error: skip }\non_empty: fail\n",
    );
    await using told = await testWorkspace({ files });
    expect((await told.runtime.packages.adopt()).ok).toBe(true); // what governs has an owner, or no flow starts
    const result = await told.order();
    expect(result.status).toBe("failure");
    const events = await told.events(result.session_id);
    expect(events.map((event) => event.type)).not.toContain("llm.request");
    expect(payload(events, "wo.failed").outcome.status).toBe("failure");
  });
});

describe("prompt routing (step 6)", () => {
  test("24. test_router_called", async () => {
    const request = payload(await workspace.events((await workspace.order()).session_id), "llm.request");
    expect(request).toMatchObject({ contract_id: "PRC-ANSWER-001", provider: "scripted" });
    expect(request.new_messages.map((message) => message.role)).toEqual(["system", "user"]);
  });
  test("25. test_router_rejection_handled", async () => {
    const result = await workspace.order({ budget: { token_limit: 10, turn_limit: 1 } });
    expect(result).toMatchObject({ status: "rejected", error_code: "BUDGET_EXHAUSTED", response: null });
    expect(payload(await workspace.events(result.session_id), "llm.refused").code).toBe("BUDGET_EXHAUSTED");
  });
  test("26. test_router_timeout_handled", async () => {
    const result = await workspace.order({
      input: { prompt: "slow please" },
      budget: { token_limit: 5000, turn_limit: 1, timeout_seconds: 1 },
    });
    expect(result.status).toBe("timeout");
  });
  test("27. test_router_response_captured", async () => {
    const result = await workspace.order();
    expect(result).toMatchObject({ response: "Hello, Ada", tokens_used: { input: 12, output: 3 } });
  });
});

describe("acceptance criteria (step 7)", () => {
  const output_schema = { type: "object", required: ["greeting"], properties: { greeting: { type: "string" } } };
  test("28. test_output_schema_validated", async () => {
    expect(await workspace.order({ input: { prompt: "json please" }, io_schema: { output_schema } })).toMatchObject({
      status: "success",
      validation_result: { passed: true },
    });
    expect(await workspace.order({ io_schema: { output_schema } })).toMatchObject({
      status: "failure",
      error_code: "ACCEPTANCE_FAILED",
      validation_result: { passed: false },
    });
  });
  test("29. test_acceptance_all_pass", async () => {
    expect(await workspace.order()).toMatchObject({
      status: "success",
      validation_result: { passed: true, gate_results: [] },
    });
  });
  test("30. test_acceptance_partial_fail", async () => {
    const result = await workspace.order({
      input: { prompt: "json please" },
      io_schema: { output_schema },
      acceptance: { tests: ["false"], checks: [] },
    });
    expect(result).toMatchObject({ status: "failure", validation_result: { passed: false } });
    expect(result.validation_result?.gate_results.map((gate) => gate.passed)).toEqual([true, false]);
  });
});

describe("outcome (step 8)", () => {
  test("31. test_success_logged", async () => {
    const result = await workspace.order();
    const entry = (await ledger(result.session_id)).find(({ type }) => type === "WO_EXEC_COMPLETE");
    expect(entry?.payload).toMatchObject({
      provenance: {
        agent_id: result.agent_id,
        agent_class: "RESIDENT",
        framework_id: "FMWK-005",
        work_order_id: result.work_order_id,
        session_id: result.session_id,
      },
      outcome: { status: "success", quality_signal: null, gate_results: [] },
      context_fingerprint: { context_hash: expect.any(String) },
      tokens_used: { input: 12, output: 3 },
      duration_ms: expect.any(Number),
    });
  });
  test("32. test_failure_logged", async () => {
    const result = await workspace.order({ input: { prompt: "broken please" } });
    const entry = (await ledger(result.session_id)).find(({ type }) => type === "WO_EXEC_FAILED");
    expect(entry?.payload).toMatchObject({ outcome: { status: "failure", error: { code: "PROVIDER_ERROR" } } });
  });
  test("33. test_ledger_entry_ids_collected", async () => {
    const result = await workspace.order();
    const entries = await ledger(result.session_id);
    expect(result.ledger_entry_ids.map((id) => `${id}-exec`)).toEqual(entries.map((entry) => entry.id));
  });
});

describe("full flow", () => {
  test("34. test_happy_path_single_step", async () => {
    const result = await workspace.order();
    expect(result).toMatchObject({
      status: "success",
      response: "Hello, Ada",
      tokens_used: { input: 12, output: 3 },
      error: null,
    });
    const types = (await workspace.events(result.session_id)).map((event) => event.type);
    const order = [
      "session.start",
      "wo.started",
      "llm.request",
      "llm.response",
      "acceptance.checked",
      "wo.completed",
      "session.close",
    ];
    expect(types.filter((type) => order.includes(type))).toEqual(order);
  });
  test("35. test_dev_mode_bypasses_auth", async () => {
    const stranger = { work_order: workOrder(), caller_id: "nobody@nowhere" };
    expect(await workspace.runtime.runFlow(stranger)).toMatchObject({
      status: "rejected",
      error_code: "NOT_AUTHORIZED",
    });
    const dev = await workspace.runtime.runFlow({ ...stranger, work_order: workOrder(), dev_mode: true });
    expect(dev.status).toBe("success");
    const events = await workspace.events(dev.session_id);
    expect(payload(events, "session.start").dev_mode).toBe(true);
    expect(payload(events, "wo.started").dev_mode).toBe(true);
    expect(payload(events, "llm.request").provider).toBe("scripted");
  });
  test("36. test_result_always_returned", async () => {
    for (const junk of [
      null,
      undefined,
      5,
      "text",
      [],
      {},
      { work_order_id: {} },
      Object.create({ work_order_id: "WO-20261115-001" }),
    ])
      expect(
        await workspace.runtime.runFlow({ work_order: junk as never, caller_id: workspace.runtime.caller }),
      ).toMatchObject({ status: "rejected" });
  });
});
