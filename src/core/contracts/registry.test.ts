import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256 } from "../values/hash.ts";
import { shippedRegistry } from "./registry.ts";
import { samples } from "./samples.case.ts";

const root = new URL("../../..", import.meta.url);
const schemas = shippedRegistry();

/** What issue "The house" names, by its words. */
const promised = [
  "completion_request_v1",
  "completion_response_v1",
  "lead_directive_v1",
  "plan_v1",
  "worker_report_v1",
  "review_result_v1",
  "skill_frontmatter_v1",
  "write_claim_v1",
  "cycle_v1",
  "phase_v1",
  "policy_v1",
  "finding_v1",
  "review_aggregate_v1",
  "brainstorm_v1",
  "solution_v1",
  "learning_v1",
  "pulse_report_v1",
  "advisor_note_v1",
  "scaffold_report_v1",
  "event_v1",
  "hook_decision_v1",
  "work_order_v1",
  "framework_manifest_v1",
  "work_order_v2",
  "framework_manifest_v2",
  "prompt_contract_v1",
  "attention_template_v1",
  "ledger_entry_metadata_v1",
  "flow_runner_config_v1",
  "router_config_v1",
  "budget_config_v1",
  "flow_request_v1",
  "flow_result_v1",
  "flow_result_v2",
  "turn_request_v1",
  "turn_result_v1",
  "app_turn_input_v1",
  "app_turn_actions_v1",
  "run_v1",
  "work_item_v1",
  "patch_v1",
  "revision_v1",
  "event_log_v1",
  "package_manifest_v1",
];

describe("the shipped contracts", () => {
  test.each(promised)("%s is there, described, and accepts a sound document", (id) => {
    const info = schemas.describe(id);
    if (!info.ok) throw new Error(info.error.message);
    expect(info.value.origin).toBe("shipped");
    expect(info.value.title.length).toBeGreaterThan(3);
    expect(sha256(readFileSync(new URL(info.value.file, root)))).toBe(info.value.sha256);
    const sample = samples[id as keyof typeof samples];
    expect(schemas.validate(id, sample)).toEqual({ ok: true, value: sample });
  });

  test.each(Object.entries(samples))("%s accepts its sample", (id, sample) => {
    expect(schemas.validate(id, sample)).toEqual({ ok: true, value: sample });
  });

  test("all have a file, a compiled validator and the id of their file", () => {
    for (const id of schemas.ids()) {
      const info = schemas.describe(id);
      const schema = schemas.schema(id);
      if (!info.ok || !schema.ok) throw new Error(id);
      expect((schema.value as { $id: string }).$id).toBe(id);
      expect(typeof schemas.validate(id, {}).ok).toBe("boolean");
    }
  });

  test("that the seed prints, and the event, are frozen and stay open; ours refuse unknown fields", () => {
    const printed = promised.slice(0, 8);
    for (const id of promised) {
      const info = schemas.describe(id);
      expect([id, info.ok && info.value.frozen]).toEqual([id, printed.includes(id) || id === "event_v1"]);
      const sample = samples[id as keyof typeof samples] as object;
      expect([id, schemas.validate(id, { ...sample, smuggled_field: 1 }).ok]).toEqual([id, printed.includes(id)]);
    }
  });

  test("of configuration refuse a misspelt limit and suggest the right one", () => {
    const result = schemas.validate("flow_runner_config_v1", { default_budget: { tokenlimit: 10 } });
    expect(result.ok ? "" : result.error.message).toBe(
      'flow_runner_config_v1: at $.default_budget.tokenlimit expected no such field (did you mean "token_limit"?), found 10',
    );
  });
});

describe("an unknown id", () => {
  test.each([
    ["paln_v1", 'no schema "paln_v1" is registered; did you mean "plan_v1"?'],
    ["plan_v2", 'no schema "plan_v2" is registered; did you mean "plan_v1"?'],
    ["plan", 'no schema "plan" is registered; did you mean "plan_v1"?'],
    ["session.strat_v1", 'no schema "session.strat_v1" is registered; did you mean "session.start_v1"?'],
    ["zebra", 'no schema "zebra" is registered; `writ schema list` names those that are'],
    ["", 'no schema "" is registered; `writ schema list` names those that are'],
    ["../../package", 'no schema "../../package" is registered; `writ schema list` names those that are'],
    ["__proto__", 'no schema "__proto__" is registered; `writ schema list` names those that are'],
    ["constructor", 'no schema "constructor" is registered; `writ schema list` names those that are'],
  ])("%s is an error, never a pass", (id, message) => {
    expect(schemas.has(id)).toBe(false);
    for (const result of [schemas.validate(id, {}), schemas.schema(id), schemas.describe(id)]) {
      expect(result.ok ? "passed" : [result.error.code, result.error.message]).toEqual(["SCHEMA_NOT_FOUND", message]);
    }
  });
});

describe("fine points of the contracts", () => {
  const message = (id: string, value: unknown) => {
    const result = schemas.validate(id, value);
    return result.ok ? "ok" : result.error.message;
  };

  test("a hook's deny and ask need a reason, and a transform its output, be it empty", () => {
    expect(message("hook_decision_v1", { decision: "deny" })).toBe(
      'hook_decision_v1: at $ expected a field "reason", found none',
    );
    expect(message("hook_decision_v1", { decision: "ask", reason: "" })).toContain("text that is not empty");
    expect(message("hook_decision_v1", { decision: "transform" })).toBe(
      'hook_decision_v1: at $ expected a field "output", found none',
    );
    for (const output of [null, "", 0, false, {}, []])
      expect(message("hook_decision_v1", { decision: "transform", output })).toBe("ok");
    expect(message("hook_decision_v1", { decision: "allow", output: {} })).toBe(
      "hook_decision_v1: at $.output expected no such field, found an empty object",
    );
    expect(message("hook_decision_v1", { decision: "Allow" })).toContain(
      'one of "allow", "deny", "transform", "ask" (did you mean "allow"?), found "Allow"',
    );
    expect(message("hook_decision_v1", null)).toBe("hook_decision_v1: at $ expected type object, found null");
  });

  test("the shortest work order of the design is sound, and each missing field is named", () => {
    const order = {
      work_order_id: "WO-20261115-001",
      type: "answer",
      plane_id: "ho1",
      spec_id: "SPEC-ORCHESTRATION-001",
      framework_id: "FMWK-005",
      scope: { allowed_files: [] },
      acceptance: { tests: [], checks: [] },
      input: { prompt: "Say hello to Ada" },
      budget: { token_limit: 5000, turn_limit: 1, timeout_seconds: 60 },
    };
    expect(message("work_order_v1", order)).toBe("ok");
    for (const field of [
      "work_order_id",
      "type",
      "plane_id",
      "spec_id",
      "framework_id",
      "scope",
      "acceptance",
    ] as const) {
      const { [field]: _, ...rest } = order;
      expect(message("work_order_v1", rest)).toBe(`work_order_v1: at $ expected a field "${field}", found none`);
    }
    expect(message("work_order_v1", { ...order, work_order_id: "../x" })).toContain("expected text that matches ^WO-");
    expect(message("work_order_v1", { ...order, budget: { token_limit: 0 } })).toBe(
      "work_order_v1: at $.budget.token_limit expected at least 1, found 0",
    );
  });

  test("a policy's rules decide only what its kind can decide", () => {
    const policy = (kind: string, then: string) => ({
      id: "p",
      kind,
      rules: [{ when: "true", then, reason: "r" }],
      schema_version: "v1",
    });
    expect(message("policy_v1", policy("loop-halt", "halt"))).toBe("ok");
    expect(message("policy_v1", policy("role-permissions", "halt"))).toBe(
      'policy_v1: at $.rules[0].then expected one of "allow", "deny", "advisory", found "halt"',
    );
  });

  test("an app's actions are distinguished by their type", () => {
    expect(message("app_turn_actions_v1", { actions: [{ type: "close_run" }] })).toBe(
      'app_turn_actions_v1: at $.actions[0] expected a field "reason", found none',
    );
    expect(message("app_turn_actions_v1", { actions: [{ type: "delete_run" }] })).toContain(
      "$.actions[0].type expected one of",
    );
    expect(message("app_turn_actions_v1", { actions: [{ type: "noop", and: "more" }] })).toContain(
      "$.actions[0].and expected no such field",
    );
  });
});
