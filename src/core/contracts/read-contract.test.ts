import { describe, expect, test } from "vitest";
import { readContract, readFrontmatter } from "./read-contract.ts";
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

describe("a Markdown file with a checked head", () => {
  test("gives head and body", () => {
    const result = readFrontmatter(schemas, "skill_frontmatter_v1", {
      file: "skills/greet/SKILL.md",
      text: "---\nname: greet\ndescription: Greets.\nallowed-tools: [echo]\n---\n# Greet\n",
    });
    expect(result).toEqual({
      ok: true,
      value: {
        data: { name: "greet", description: "Greets.", "allowed-tools": ["echo"] },
        body: "# Greet\n",
        bodyLine: 6,
      },
    });
  });

  test.each([
    [
      "---\nname: greet\nversion: one\n---\n",
      'SKILL.md:2: skill_frontmatter_v1: at $ expected a field "description", found none (and 1 more)',
    ],
    [
      "---\nname: greet\ndescription: x\nallowed-tools: echo\n---\n",
      'SKILL.md:4: skill_frontmatter_v1: at $.allowed-tools expected type array, found "echo"',
    ],
    ["# no head\n", 'SKILL.md:1: skill_frontmatter_v1: at $ expected a field "name", found none (and 1 more)'],
    ["---js\n1\n---\n", 'SKILL.md: line 1: the frontmatter\'s fence is "---js", expected "---" alone'],
  ])("case %# is refused with file and line", (text, message) => {
    const result = readFrontmatter(schemas, "skill_frontmatter_v1", { file: "SKILL.md", text });
    expect(result.ok ? "accepted" : result.error.message).toBe(message);
  });
});
