import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { locateYaml, parseYaml } from "./yaml.ts";

function refusal(text: string): string {
  const result = parseYaml(text);
  if (result.ok) return `accepted ${JSON.stringify(result.value)}`;
  expect(result.error.code).toBe("MALFORMED_INPUT");
  return result.error.message;
}

describe("the door for YAML", () => {
  test("gives plain JSON values", () => {
    const text =
      "a: 1\nb: [true, null, ~]\nc: {d: 'x', e: \"\\u00e9\"}\nwhen: 2026-02-10T00:00:00Z\nno: no\nnr: 0x1F\n1: one\n'2': two\ntext: |\n  two\n  lines\n";
    expect(parseYaml(text)).toEqual({
      ok: true,
      value: {
        1: "one",
        2: "two",
        a: 1,
        b: [true, null, null],
        c: { d: "x", e: "é" },
        when: "2026-02-10T00:00:00Z",
        no: "no",
        nr: 31,
        text: "two\nlines\n",
      },
    });
    expect(parseYaml("")).toEqual({ ok: true, value: null });
    expect(parseYaml("# nothing\n")).toEqual({ ok: true, value: null });
  });

  test("takes an anchor that is used once or twice", () => {
    expect(parseYaml("a: &x {b: 1}\nc: *x\nd: *x\n")).toEqual({
      ok: true,
      value: { a: { b: 1 }, c: { b: 1 }, d: { b: 1 } },
    });
  });

  test.each([
    ["a: 1\nb:\n  c: 1\n  c: 2\n", 'line 4: the key "c" stands twice in one object'],
    ["a: 1\n'a': 2\n", 'line 2: the key "a" stands twice in one object'],
    ["1: x\n'1': y\n", 'line 2: the key "1" stands twice in one object'],
    ["x:\n  __proto__: {admin: true}\n", 'line 2: the key "__proto__" is not accepted'],
    [
      "a: 1\nb: 9007199254740993\n",
      "line 2: $.b: found 9007199254740992, expected an integer within ±(2^53 − 1), or text",
    ],
    ["a:\n  - 1\n  - .inf\n", "line 3: $.a[1]: found Infinity, expected a finite number"],
    ["a: .nan\n", "line 1: $.a: found NaN, expected a finite number"],
    ['a: 1\nb: "\\ud800"\n', "line 2: $.b: found text with a lone surrogate, expected well-formed Unicode"],
    ["a: !!js/function 'x'\n", /^line 1: not YAML: .*tag/],
    ["a: !secret x\n", /^line 1: not YAML: .*tag/],
    ["a: *nowhere\n", /not YAML: .*[Aa]lias/],
    ["a: 1\n---\nb: 2\n", /^line 2: not YAML: .*multiple documents/],
    ["a: [1, 2\nb: 3\n", /^line \d: not YAML: /],
    ["{{{", /not YAML/],
    ["a: b: c\n", /^line 1: not YAML: /],
    ["? [1, 2]\n: x\n", /not YAML/],
    ["\ta: 1\n", /not YAML/],
  ])("case %# is refused with its line", (text, message) => {
    const found = refusal(text);
    if (typeof message === "string") expect(found).toBe(message);
    else expect(found).toMatch(message);
  });

  test.each([
    ["a: [x, y }\n", /close what is still open/],
    ["a: [\n", /close what is still open/],
    ['a: "x\n', /close what is still open/],
    ["a:\n\tb: 1\n", /spaces/],
    ["a:\n  b: 1\n c: 2\n", /same column/],
    ["a: b: c\n", /in quotes/],
    ["a: `x`\n", /in quotes/],
    ['a: "say "x""\n', /other kind of quotes/],
    ["a value\nb: 1\n", /its colon/],
  ])("what people do wrong in case %# comes with the way out", (text, hint) => {
    const result = parseYaml(text);
    expect(result.ok ? {} : result.error.details).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  test("refuses aliases that multiply", () => {
    const lines = ["a0: &a0 [lol]"];
    for (let level = 1; level < 12; level++)
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")}]`);
    expect(refusal(lines.join("\n"))).toMatch(/alias/i);
  });

  test("refuses an alias to itself", () => {
    expect(refusal("a: &x [*x]\n")).toMatch(/nesting|alias/i);
  });

  test("refuses nesting without end and text without end", () => {
    expect(refusal("[".repeat(500) + "]".repeat(500))).toContain("nesting deeper than 256");
    expect(refusal("[".repeat(100_000))).toContain("not YAML");
    expect(refusal("x".repeat(2_000_000))).toContain("expected at most");
  });

  test("finds doubled keys among many in time that grows with their number", () => {
    const text = `${Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join("\n")}\nk7: 2\n`;
    expect(refusal(text)).toBe('line 50001: the key "k7" stands twice in one object');
  });

  test("reads back what was written, for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        const result = parseYaml(stringify(json, { aliasDuplicateObjects: false, version: "1.2" }));
        if (result.ok) expect(result.value).toEqual(json);
        else expect(result.error.message).toMatch(/2\^53|__proto__/);
      }),
      { numRuns: 500, seed: 11 },
    );
  });

  test("never throws, whatever the text", () => {
    const pieces = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&x",
      "*x",
      "!t",
      "|",
      ">",
      "'",
      '"',
      "#",
      "?",
      "%YAML",
      "---",
      "...",
      "\t",
      "<<",
      "1e999",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => {
        expect(typeof parseYaml(parts.join("")).ok).toBe("boolean");
      }),
      { numRuns: 3000, seed: 13 },
    );
  });
});

test("a path is found on its line, or on that of the nearest place that is there", () => {
  const located = locateYaml(
    "a: 1\nlist:\n  - x: 1\n  - x: 2\n    y: 3\nref: &r\n  deep: 1\nuse: *r\n'odd key': {z: 1}\n",
    10,
  );
  if (!located.ok) throw new Error(located.error.message);
  const { lineOf } = located.value;
  expect([
    lineOf("$"),
    lineOf("$.a"),
    lineOf("$.list"),
    lineOf("$.list[1].y"),
    lineOf("$.list[1].nothing"),
    lineOf('$["odd key"].z'),
    lineOf("$.use.deep"),
    lineOf("$.list[9]"),
  ]).toEqual([10, 10, 11, 14, 13, 18, 16, 11]);
});
