import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical.ts";
import { checkJson } from "./check-json.ts";

const wellFormed = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed());
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -0, 1e21 / 1e6, 5e-324, 1.7976931348623157e308 / 1e300),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
    fc.maxSafeInteger(),
    wellFormed,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(
      fc.oneof(
        wellFormed,
        fc.constantFrom(
          "10",
          "9",
          "1a",
          "01",
          "",
          "a",
          "A",
          "é",
          "\u{10000}",
          "\uFFFF",
          "__proto__",
          "toJSON",
          "constructor",
        ),
      ),
      tie("value"),
      { maxKeys: 8 },
    ),
  ),
})).value;

describe("canonical JSON", () => {
  test("agrees with the canonicalize package on any JSON value", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 5000, seed: 20261115 },
    );
  });

  test("does not depend on the order in which keys were set", () => {
    fc.assert(
      fc.property(fc.dictionary(wellFormed, fc.integer(), { minKeys: 2 }), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      }),
      { numRuns: 1000, seed: 5 },
    );
  });

  test("comes back from JSON.parse as it was", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 1000, seed: 6 },
    );
  });

  test.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ 10: "ten", 9: "nine", a: 0 }, '{"10":"ten","9":"nine","a":0}'],
    [{ 2: 0, 10: 0 }, '{"10":0,"2":0}'],
    [{ a: { 10: 0, 9: 0 } }, '{"a":{"10":0,"9":0}}'],
    [{ "\u{10000}": 1, "\uFFFF": 2 }, '{"\u{10000}":1,"\uFFFF":2}'],
    [{ "": 1, a: 2 }, '{"":1,"a":2}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [{ b: undefined, a: 1 }, '{"a":1}'],
    [[undefined, { b: 1, a: [undefined] }], '[null,{"a":[null],"b":1}]'],
    [undefined, "null"],
    [-0, "0"],
    [1e-7, "1e-7"],
    [Number("333333333.33333329"), "333333333.3333333"],
    ["€$\u000F\nA'\u0042\u0022\u005c\\\"/", '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
  ])("case %#", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

describe("what may enter a record", () => {
  class Point {
    x = 1;
  }
  test.each([
    [Number.NaN, "$: found NaN, expected a finite number"],
    [{ a: [1, Number.NEGATIVE_INFINITY] }, "$.a[1]: found -Infinity, expected a finite number"],
    [{ a: undefined }, "$.a: found undefined, expected a JSON value"],
    [[10n], "$[0]: found a bigint, expected a JSON value"],
    [{ f: () => 1 }, "$.f: found a function, expected a JSON value"],
    [Symbol("s"), "$: found a symbol, expected a JSON value"],
    [{ when: new Date(0) }, "$.when: found an instance of a class, expected a plain object"],
    [{ "a.b": { c: new Point() } }, '$["a.b"].c: found an instance of a class, expected a plain object'],
    [new Map(), "$: found an instance of a class, expected a plain object"],
    ["\ud800", "$: found text with a lone surrogate, expected well-formed Unicode"],
    [{ "\udc00": 1 }, "$: found a key with a lone surrogate, expected well-formed Unicode"],
    [2 ** 53, "$: found 9007199254740992, expected an integer within ±(2^53 − 1), or text"],
  ])("case %# is refused", (value, message) => {
    const result = checkJson(value);
    expect(result.ok ? "accepted" : result.error.message).toBe(message);
  });

  test("a cycle ends as nesting that is too deep", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const result = checkJson(loop);
    expect(result.ok ? "accepted" : result.error.message).toContain("nesting deeper than 256");
    expect(result.ok ? "" : result.error.message.length).toBeLessThan(300); // its path is 256 steps long
  });

  test("holes in an array are no JSON", () => {
    expect(checkJson([1, , 3]).ok).toBe(false); // oxlint-disable-line no-sparse-arrays
  });

  test("prototype keys and objects without a prototype are plain data", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":null}}') as unknown;
    expect(checkJson(value)).toEqual({ ok: true, value });
    expect(checkJson(Object.assign(Object.create(null), { a: 1 })).ok).toBe(true);
  });
});
