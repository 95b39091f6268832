import { describe, expect, test } from "vitest";
import { compileSchema, runtimeOptions } from "./compile.ts";

function refusal(schema: unknown, strict = false): string {
  const compiled = compileSchema(schema, { name: "thing_v1", strict });
  if (compiled.ok) return "accepted";
  expect(compiled.error.code).toBe("SCHEMA_INVALID");
  return compiled.error.message;
}

describe("schemas met at run time", () => {
  test("are compiled with the options of those compiled ahead", async () => {
    const script = new URL("../../../scripts/ajv-options.mjs", import.meta.url).href;
    const { ajvOptions } = (await import(script)) as { readonly ajvOptions: object };
    expect(runtimeOptions).toEqual(ajvOptions);
  });

  test.each([
    [undefined, "thing_v1: a JSON Schema is an object, found undefined"],
    [null, "thing_v1: a JSON Schema is an object, found null"],
    [[], "thing_v1: a JSON Schema is an object, found []"],
    ["plan_v1", 'thing_v1: a JSON Schema is an object, found "plan_v1"'],
    [{ type: "strng" }, /^thing_v1: not a valid JSON Schema: /],
    [{ $ref: "https://evil.example/x.json" }, /can't resolve reference/],
    [{ $ref: "nowhere_v1" }, /can't resolve reference nowhere_v1/],
    [{ $schema: "https://example.com/my-draft" }, /its \$schema "https:\/\/example.com\/my-draft" is not known/],
    [{ $async: true, type: "string" }, /asynchronous schemas are not accepted/],
    [{ type: "string", pattern: "(" }, /not a valid JSON Schema/],
    [{ type: "string", pattern: "^(?=a)(a+)+$" }, /the pattern "\^\(\?=a\)\(a\+\)\+\$" is not RE2: .*no look-around/],
    [{ type: "string", pattern: "(a)\\1" }, /is not RE2/],
  ])("case %# is refused", (schema, message) => {
    expect(refusal(schema)).toMatch(message);
  });

  test("of others are checked in a time that the value decides, however their references multiply", () => {
    const check = (schema: object, value: unknown) => {
      const compiled = compileSchema(schema, { name: "thing_v1" });
      if (!compiled.ok) return compiled.error.message;
      const checked = compiled.value(value);
      return checked.ok ? "holds" : checked.error.message;
    };
    const forks: Record<string, object> = { d30: { type: "string" } };
    for (let n = 0; n < 30; n++) {
      const next = { $ref: `#/$defs/d${n + 1}` };
      forks[`d${n}`] = { anyOf: [next, next] };
    }
    const nested = { items: { allOf: [{ $ref: "#" }, { $ref: "#" }] } };
    const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as unknown;
    const multiply = "thing_v1: its references multiply, and no value can be checked against it";
    expect(check({ $ref: "#/$defs/d0", $defs: forks }, 7)).toBe(multiply);
    expect(check(nested, deep)).toBe(multiply);
    expect(check({ anyOf: [{ $ref: "#" }, { type: "string" }] }, 7)).toBe(multiply);
    const tree = { type: "array", items: { $ref: "#" } };
    expect(check(tree, deep)).toBe("holds");
    expect(
      check(
        tree,
        Array.from({ length: 50_000 }, () => []),
      ),
    ).toBe("holds");
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    expect(check({ type: "array", uniqueItems: true }, items)).toBe("holds");
    expect(check({ type: "array", uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }])).toContain("at $ ");
    expect(check({ type: "array", uniqueItems: false }, [1, 1])).toBe("holds");
  });

  test("of others are not compiled when they are too large", () => {
    const many = (member: (index: number) => object, count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member(index)])),
    });
    const pattern = (index: number) => ({ pattern: `^${index}$` });
    expect(refusal(many(pattern, 201))).toContain("more than 200 patterns");
    expect(refusal({ patternProperties: many(pattern, 201).properties })).toContain("more than 200 patterns");
    expect(refusal(many(() => ({ type: "string" }), 2_001))).toContain("more than 4000 members");
  });

  test("of a workspace are read strictly, those of others with forbearance", () => {
    expect(refusal({ type: "object", propertes: {} }, true)).toContain('unknown keyword: "propertes"');
    expect(refusal({ type: "string", format: "colour" }, true)).toContain("unknown format");
    expect(refusal({ type: "object", propertes: {} })).toBe("accepted");
    expect(refusal({ type: "string", format: "colour", "x-order": 1 })).toBe("accepted");
  });

  test("may be of the older drafts that tools still use", () => {
    for (const $schema of [
      "http://json-schema.org/draft-07/schema#",
      "https://json-schema.org/draft/2019-09/schema",
      "https://json-schema.org/draft/2020-12/schema",
    ]) {
      const compiled = compileSchema(
        {
          $schema,
          type: "object",
          required: ["a"],
          definitions: { x: { type: "string" } },
          properties: { a: { $ref: "#/definitions/x" } },
        },
        { name: "t" },
      );
      if (!compiled.ok) throw new Error(compiled.error.message);
      expect([compiled.value({ a: "x" }).ok, compiled.value({ a: 1 }).ok, compiled.value({}).ok]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  test("answer hostile text to a hostile pattern in linear time", () => {
    const compiled = compileSchema({ type: "string", pattern: "^(a+)+$" }, { name: "t" });
    if (!compiled.ok) throw new Error(compiled.error.message);
    // ECMAScript's engine would need 2^50000 steps here: this test ends or it does not.
    expect(compiled.value(`${"a".repeat(50_000)}!`).ok).toBe(false);
    expect(compiled.value("a".repeat(50_000)).ok).toBe(true);
  });

  test("keep two patterns apart", () => {
    const properties = { a: { type: "string", pattern: "^a$" }, b: { type: "string", pattern: "^b$" } };
    const compiled = compileSchema({ type: "object", properties }, { name: "t" });
    if (!compiled.ok) throw new Error(compiled.error.message);
    expect([
      compiled.value({ a: "a", b: "b" }).ok,
      compiled.value({ a: "b" }).ok,
      compiled.value({ b: "a" }).ok,
    ]).toEqual([true, false, false]);
  });

  test("understand patterns with JavaScript's Unicode escapes", () => {
    const compiled = compileSchema({ type: "string", pattern: "^[\\u4e00-\\u9fa5]+\\\\u0041$" }, { name: "t" });
    if (!compiled.ok) throw new Error(compiled.error.message);
    expect([compiled.value("中文\\u0041").ok, compiled.value("abc").ok]).toEqual([true, false]);
  });

  test("do not change the value, nor fill in defaults, nor turn text into numbers", () => {
    const compiled = compileSchema(
      { type: "object", properties: { a: { type: "integer", default: 3 }, b: { type: "integer" } } },
      { name: "t" },
    );
    if (!compiled.ok) throw new Error(compiled.error.message);
    const value = Object.freeze({});
    expect(compiled.value(value)).toEqual({ ok: true, value: {} });
    expect(compiled.value({ b: "5" }).ok).toBe(false);
  });

  test("nest only as deep as the stack allows, and then are refused, not thrown", () => {
    let schema: object = { type: "string" };
    for (let depth = 0; depth < 20_000; depth++) schema = { type: "array", items: schema };
    expect(refusal(schema, true)).toMatch(/not a valid JSON Schema/);
    expect(refusal(schema)).toMatch(/more than 4000 members/); // of others not even that deep
  });
});
