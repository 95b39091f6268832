import { describe, expect, test } from "vitest";
import { readContract } from "./read-contract.ts";
import { shippedRegistry } from "./registry.ts";

const schemas = shippedRegistry();
const order = `work_order_id: WO-20261115-001
type: answer
plane_id: ho1
spec_id: SPEC-ORCHESTRATION-001
framework_id: FMWK-005
scope: { allowed_files: [] }
acceptance: { tests: [], checks: [] }
budget:
  token_limit: 5000
  turnlimit: 1
`;

describe("a document that a person wrote", () => {
  test("is read from YAML or JSON", () => {
    const text = order.replace("turnlimit", "turn_limit");
    const yaml = readContract(schemas, "work_order_v1", { file: "wo.yaml", text });
    if (!yaml.ok) throw new Error(yaml.error.message);
    expect(yaml.value.budget?.turn_limit).toBe(1);
    expect(readContract(schemas, "work_order_v1", { file: "wo.json", text: JSON.stringify(yaml.value) })).toEqual(yaml);
  });

  test("is refused with file, line, path, and what was probably meant", () => {
    const result = readContract(schemas, "work_order_v1", { file: "wo.yaml", text: order });
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: "SCHEMA_VIOLATION",
        message:
          'wo.yaml:10: work_order_v1: at $.budget.turnlimit expected no such field (did you mean "turn_limit"?), found 1',
        details: {
          file: "wo.yaml",
          schema_id: "work_order_v1",
          violations: [{ path: "$.budget.turnlimit", line: 10 }],
        },
      },
    });
  });

  test("in JSON has lines too", () => {
    const result = readContract(schemas, "lead_directive_v1", {
      file: "lead.json",
      text: '{\n  "intent": "",\n  "constraints": [],\n  "schema_version": "v1"\n}',
    });
    expect(result.ok ? "" : result.error.message).toBe(
      'lead.json:2: lead_directive_v1: at $.intent expected text that is not empty, found ""',
    );
  });

  test("that cannot be parsed is named by file and line", () => {
    const yaml = readContract(schemas, "plan_v1", { file: "a.yaml", text: "a: 1\na: 2\n" });
    expect(yaml.ok ? "" : yaml.error.message).toBe('a.yaml: line 2: the key "a" stands twice in one object');
    const json = readContract(schemas, "plan_v1", { file: "a.json", text: '{"a":1,"a":2}' });
    expect(json.ok ? "" : json.error.message).toBe('a.json: the key "a" stands twice in one object (line 1, column 8)');
  });

  test("against an unknown contract is refused", () => {
    expect(readContract(schemas, "paln_v1", { file: "a.yaml", text: "a: 1" })).toMatchObject({
      ok: false,
      error: { code: "SCHEMA_NOT_FOUND" },
    });
  });
});
