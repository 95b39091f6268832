import { describe, expect, test } from "vitest";
import { compileSchema } from "./compile.ts";
import type { Violation } from "./violation.ts";

function problems(schema: object | boolean, value: unknown): readonly string[] {
  const compiled = compileSchema(schema, { name: "thing_v1" });
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.value(value);
  if (result.ok) return [];
  const violations = result.error.details["violations"] as readonly Violation[];
  return violations.map(({ path, expected, found }) => `${path}: expected ${expected}, found ${found}`);
}

const tagged = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: [
    {
      required: ["kind", "radius"],
      additionalProperties: false,
      properties: { kind: { const: "circle" }, radius: { type: "number" } },
    },
    {
      required: ["kind", "side"],
      additionalProperties: false,
      properties: { kind: { const: "square" }, side: { type: "number" } },
    },
  ],
};

type Case = readonly [keyword: string, schema: object | boolean, value: unknown, ...expected: string[]];
const cases: readonly Case[] = [
  ["type", { type: "string" }, 5, "$: expected type string, found 5"],
  ["type", { type: ["string", "null"] }, [1, 2], "$: expected type string or null, found an array of 2"],
  ["type", { type: "integer" }, 1.5, "$: expected type integer, found 1.5"],
  ["type", { type: "object" }, null, "$: expected type object, found null"],
  ["type", { type: "number" }, {}, "$: expected type number, found an empty object"],
  ["type", { type: "array" }, { a: 1 }, "$: expected type array, found an object"],
  ["type", { type: "boolean" }, "true", '$: expected type boolean, found "true"'],
  ["type", { type: "string" }, 7n, "$: expected type string, found a bigint"],
  ["type", { type: "string" }, undefined, "$: expected type string, found none"],
  ["type", { type: "number" }, "x".repeat(300), `$: expected type number, found "${"x".repeat(77)}…" (300 characters)`],
  ["required", { type: "object", required: ["a", "b"] }, { a: 1 }, '$: expected a field "b", found none'],
  ["required", { type: "object", required: ["constructor"] }, {}, '$: expected a field "constructor", found none'],
  [
    "dependentRequired",
    { type: "object", dependentRequired: { a: ["b"] } },
    { a: 1 },
    '$: expected a field "b" beside "a", found none',
  ],
  [
    "enum",
    { enum: ["allow", "deny", 3, null] },
    "alow",
    '$: expected one of "allow", "deny", 3, null (did you mean "allow"?), found "alow"',
  ],
  ["enum", { enum: [0, 25] }, 5, "$: expected one of 0, 25, found 5"],
  ["const", { const: "v1" }, "v2", '$: expected "v1", found "v2"'],
  ["pattern", { type: "string", pattern: "^WO-" }, "XO-1", '$: expected text that matches ^WO-, found "XO-1"'],
  ["format", { type: "string", format: "date-time" }, "yesterday", '$: expected a date-time, found "yesterday"'],
  ["minLength", { type: "string", minLength: 1 }, "", '$: expected text that is not empty, found ""'],
  ["minLength", { type: "string", minLength: 3 }, "ab", '$: expected at least 3 characters, found "ab"'],
  ["maxLength", { type: "string", maxLength: 1 }, "ab", '$: expected at most 1 character, found "ab"'],
  ["minimum", { type: "number", minimum: 1 }, 0, "$: expected at least 1, found 0"],
  ["maximum", { type: "number", maximum: 1 }, 2, "$: expected at most 1, found 2"],
  ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 0, "$: expected more than 0, found 0"],
  ["exclusiveMaximum", { type: "number", exclusiveMaximum: 1 }, 1, "$: expected less than 1, found 1"],
  ["multipleOf", { type: "number", multipleOf: 5 }, 7, "$: expected a multiple of 5, found 7"],
  ["minItems", { type: "array", minItems: 1 }, [], "$: expected at least 1 item, found an array of 0"],
  ["maxItems", { type: "array", maxItems: 1 }, [1, 2], "$: expected at most 1 item, found an array of 2"],
  [
    "uniqueItems",
    { type: "array", uniqueItems: true },
    ["a", "b", "a"],
    "$: expected no item twice (0 and 2 are equal), found an array of 3",
  ],
  [
    "items",
    { type: "array", items: { type: "string" } },
    ["a", 1, 2],
    "$[1]: expected type string, found 1",
    "$[2]: expected type string, found 2",
  ],
  [
    "items",
    { type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: false },
    ["a", "b"],
    "$: expected at most 1 item, found an array of 2",
  ],
  [
    "contains",
    { type: "array", contains: { const: 1 } },
    [2],
    "$[0]: expected 1, found 2",
    "$: expected at least 1 item that fits, found an array of 1",
  ],
  ["minProperties", { type: "object", minProperties: 1 }, {}, "$: expected at least 1 field, found an empty object"],
  [
    "maxProperties",
    { type: "object", maxProperties: 1 },
    { a: 1, b: 2 },
    "$: expected at most 1 field, found an object",
  ],
  [
    "propertyNames",
    { type: "object", propertyNames: { pattern: "^[a-z]+$" } },
    { A1: 1 },
    '$: expected field names to be text that matches ^[a-z]+$, found "A1"',
  ],
  [
    "additionalProperties",
    { type: "object", properties: { token_limit: {} }, additionalProperties: false },
    { tokenlimit: 10 },
    '$.tokenlimit: expected no such field (did you mean "token_limit"?), found 10',
  ],
  [
    "additionalProperties",
    { type: "object", additionalProperties: false },
    { "a b": [1] },
    '$["a b"]: expected no such field, found an array of 1',
  ],
  [
    "additionalProperties",
    { type: "object", additionalProperties: { type: "number" } },
    { a: "x" },
    '$.a: expected type number, found "x"',
  ],
  [
    "unevaluatedProperties",
    { type: "object", allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    "$.b: expected no such field, found 2",
  ],
  ["not", { not: { type: "string" } }, "x", '$: expected anything but this, found "x"'],
  ["false schema", { type: "object", properties: { a: false } }, { a: 1 }, "$.a: expected nothing here, found 1"],
  ["false schema", false, 1, "$: expected nothing here, found 1"],
  [
    "oneOf",
    { oneOf: [{ type: "string" }, { type: "number" }] },
    true,
    "$: expected a value of one of 2 forms, found true",
  ],
  [
    "oneOf",
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    1,
    "$: expected a value that fits one form, not several, found 1",
  ],
  [
    "anyOf",
    { anyOf: [{ type: "string" }, { type: "object", required: ["a"], properties: { a: { type: "number" } } }] },
    { a: "x" },
    '$.a: expected type number, found "x"',
  ],
  [
    "anyOf",
    {
      anyOf: [
        { type: "object", required: ["a"] },
        { type: "object", required: ["b"] },
      ],
    },
    {},
    "$: expected a value of one of 2 forms, found an empty object",
  ],
  [
    "anyOf",
    {
      anyOf: [
        { properties: { t: { const: "a" }, n: { type: "number" } } },
        { properties: { t: { const: "b" }, n: { type: "string" } } },
      ],
    },
    { t: "a", n: "x" },
    '$.n: expected type number, found "x"',
  ],
  [
    "discriminator",
    tagged,
    { kind: "squre" },
    '$.kind: expected one of "circle", "square" (did you mean "square"?), found "squre"',
  ],
  [
    "discriminator",
    tagged,
    { kind: "square", size: 2 },
    '$: expected a field "side", found none',
    '$.size: expected no such field (did you mean "side"?), found 2',
  ],
  [
    "if",
    { type: "object", if: { properties: { a: { const: 1 } } }, then: { required: ["b"] } },
    { a: 1 },
    '$: expected a field "b", found none',
  ],
  [
    "deep paths",
    {
      type: "object",
      properties: { a: { type: "array", items: { type: "object", properties: { "x/y~z": { type: "string" } } } } },
    },
    { a: [{}, { "x/y~z": 1 }] },
    '$.a[1]["x/y~z"]: expected type string, found 1',
  ],
];

describe("a violation names the path, what was expected and what came", () => {
  for (const [index, [keyword, schema, value, ...expected]] of cases.entries()) {
    test(`${keyword} (${index})`, () => {
      expect(problems(schema, value)).toEqual(expected);
    });
  }
});

describe("the message of a violation", () => {
  const compiled = compileSchema({ type: "array", items: { type: "string" } }, { name: "thing_v1" });
  const message = (value: unknown) => {
    const result = compiled.ok ? compiled.value(value) : compiled;
    return result.ok ? "ok" : result.error.message;
  };
  test("names the schema, the first problem, and how many more there are", () => {
    expect(message([1])).toBe("thing_v1: at $[0] expected type string, found 1");
    expect(message([1, 2, 3])).toBe("thing_v1: at $[0] expected type string, found 1 (and 2 more)");
  });

  test("stays short however wrong the value is", () => {
    const result = compiled.ok ? compiled.value(Array.from({ length: 10_000 }, (_, index) => index)) : compiled;
    expect(result.ok ? [] : result.error.details["violations"]).toHaveLength(12);
    expect(message(Array.from({ length: 10_000 }, (_, index) => index))).toMatch(/and 9999 more\)$/);
  });
});

test("a list whose every item fits no form is refused in time that grows with its length", () => {
  const compiled = compileSchema(
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "boolean" }] } },
    { name: "thing_v1" },
  );
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.value(Array.from({ length: 100_000 }, () => 1));
  expect(result.ok ? "" : result.error.message).toMatch(
    /^thing_v1: at \$\[0\] expected a value of one of 2 forms, found 1 \(and \d+ more\)$/,
  );
});
