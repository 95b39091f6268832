import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "./strict-json.ts";

function refusal(text: string): string {
  const result = parseJson(text);
  if (result.ok) throw new Error(`accepted ${text.slice(0, 80)}`);
  expect(result.error.code).toBe("MALFORMED_INPUT");
  return result.error.message;
}

describe("what JSON.parse takes in silence is refused", () => {
  test.each([
    ['{"decision":"deny","decision":"allow"}', 'the key "decision" stands twice in one object (line 1, column 20)'],
    ['{"a":1,\n "\\u0061":2}', 'the key "a" stands twice in one object (line 2, column 2)'],
    ['[{"x":{"y":1,"z":[],"y":2}}]', 'the key "y" stands twice in one object (line 1, column 21)'],
    ['{"":1,"":2}', 'the key "" stands twice in one object (line 1, column 7)'],
    ['{"__proto__":{"admin":true}}', 'the key "__proto__" is not accepted (line 1, column 2)'],
    ['{"a":[{"\\u005f_proto__":1}]}', 'the key "__proto__" is not accepted (line 1, column 8)'],
    ["9007199254740993", "$: found 9007199254740992, expected an integer within ±(2^53 − 1), or text"],
    ['{"a":[-9007199254740992]}', "$.a[0]: found -9007199254740992, expected an integer within ±(2^53 − 1), or text"],
    ["1e400", "$: found Infinity, expected a finite number"],
    ['{"a b":-1e999}', '$["a b"]: found -Infinity, expected a finite number'],
    ["[1e-400]", 'the number "1e-400" is too small to keep (line 1, column 2)'],
    ['"\\ud800"', "$: found text with a lone surrogate, expected well-formed Unicode"],
    ['{"\\udfff":1}', "$: found a key with a lone surrogate, expected well-formed Unicode"],
  ])("%s", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test("text that is no JSON at all", () => {
    for (const text of ["", "{", "{'a':1}", "[1,]", "NaN", "undefined", '{"a":1}{"b":2}', "\u0000"]) {
      expect(refusal(text)).toMatch(/^not JSON: /);
    }
  });

  test("nesting without end, also a million deep", () => {
    expect(refusal(`${"[".repeat(257)}${"]".repeat(257)}`)).toContain("nesting deeper than 256");
    expect(refusal(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`)).toMatch(/nesting|not JSON/);
    expect(refusal(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`)).toContain("nesting deeper than 256");
  });
});

describe("sound JSON is taken as it is", () => {
  test.each([
    ["9007199254740991", 9007199254740991],
    ["-0.5e-3", -0.0005],
    ["0e-5", 0],
    ["0.0", 0],
    ['"e-400 \\" 1e-400"', 'e-400 " 1e-400'],
    ['{"a":{"b":1},"b":{"a":1}}', { a: { b: 1 }, b: { a: 1 } }],
    ['["\\\\","a:b",{"k":"\\\\\\"{:"}]', ["\\", "a:b", { k: '\\"{:' }]],
    ['{"constructor":1,"toString":2,"hasOwnProperty":3}', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
    [' \t\r\n{"😀":"\\ud83d\\ude00"}\n', { "😀": "😀" }],
    [`${"[".repeat(256)}${"]".repeat(256)}`, JSON.parse(`${"[".repeat(256)}${"]".repeat(256)}`)],
  ])("%s", (text, value) => {
    expect(parseJson(text)).toEqual({ ok: true, value });
  });

  test("for any JSON value, in any spelling, the answer is JSON.parse's", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const result = parseJson(JSON.stringify(value, null, indent));
        // fast-check likes __proto__ as a key; then the only right answer is the refusal.
        if (/"__proto__"\s*:/.test(text)) return true;
        if (!result.ok) expect(result.error.message).toMatch(/2\^53|too small/);
        else expect(result.value).toEqual(value);
        return true;
      }),
      { numRuns: 2000, seed: 20261115 },
    );
  });

  test("a key repeated at a random place is always found", () => {
    const keys = fc.uniqueArray(
      fc.string({ unit: "binary", maxLength: 8 }).filter((key) => key.isWellFormed() && key !== "__proto__"),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(), (names, which, depth) => {
        const again = names[which % names.length] as string;
        const members = [...names, again].map((name, index) => `${JSON.stringify(name)}:${index}`).join(",");
        const text = `${'{"outer":['.repeat(depth % 5)}{${members}}${"]}".repeat(depth % 5)}`;
        expect(refusal(text)).toContain(`the key ${JSON.stringify(again)} stands twice`);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  test("random text never throws", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            '"',
            "\\",
            "a",
            "1",
            "e-",
            ".",
            "null",
            '"__proto__"',
            "\ud800",
            " ",
          ),
          { maxLength: 30 },
        ),
        (parts) => {
          parseJson(parts.join(""));
        },
      ),
      { numRuns: 5000, seed: 3 },
    );
  });
});
