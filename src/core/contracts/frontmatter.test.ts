import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFrontmatter } from "./frontmatter.ts";

function parsed(text: string) {
  const result = parseFrontmatter(text);
  if (!result.ok) return result.error.message;
  const { data, body, bodyLine } = result.value;
  return { data, body, bodyLine };
}

describe("the door for Markdown with frontmatter", () => {
  test.each([
    ["---\nname: greet\n---\n# Greet\n", { data: { name: "greet" }, body: "# Greet\n", bodyLine: 4 }],
    ["---\r\nname: greet\r\n---\r\n# Greet\r\n", { data: { name: "greet" }, body: "# Greet\r\n", bodyLine: 4 }],
    ["\uFEFF---\nname: greet\n---", { data: { name: "greet" }, body: "", bodyLine: 4 }],
    ["---  \nname: greet\n---\t\nbody\n---\nmore", { data: { name: "greet" }, body: "body\n---\nmore", bodyLine: 4 }],
    ["---\n---\nbody", { data: {}, body: "body", bodyLine: 3 }],
    ["---\n# only a comment\n---\nbody", { data: {}, body: "body", bodyLine: 4 }],
    ["---\na: |\n  text\n   --- no fence\n---\nx", { data: { a: "text\n --- no fence\n" }, body: "x", bodyLine: 6 }],
    ["# No frontmatter\n---\nrule\n---\n", { data: {}, body: "# No frontmatter\n---\nrule\n---\n", bodyLine: 1 }],
    ["----\nfour dashes are a rule\n", { data: {}, body: "----\nfour dashes are a rule\n", bodyLine: 1 }],
    ["\n---\na: 1\n---\n", { data: {}, body: "\n---\na: 1\n---\n", bodyLine: 1 }],
    ["", { data: {}, body: "", bodyLine: 1 }],
    [
      "---js\nmodule.exports = process.exit()\n---\n",
      'line 1: the frontmatter\'s fence is "---js", expected "---" alone',
    ],
    ["---\nname: greet\n", 'line 1: the frontmatter is opened by "---" and never closed'],
    ["---", 'line 1: the frontmatter is opened by "---" and never closed'],
    ["---\n- a\n- b\n---\n", "line 2: a frontmatter is a list of `name: value` lines"],
    ["---\njust words\n---\n", "line 2: a frontmatter is a list of `name: value` lines"],
    ["---\nname: a\ntools: b\nname: c\n---\n", 'line 4: the key "name" stands twice in one object'],
    ["---\nname: a\n__proto__: {}\n---\n", 'line 3: the key "__proto__" is not accepted'],
  ])("case %#", (text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });

  test("a broken line is named by its number in the file", () => {
    expect(parsed("---\nname: a\nother: b: c\n---\n")).toMatch(/^line 3: not YAML: /);
  });

  test("body and head together are the file, and bodyLine is where the body begins", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b: 1", "", "---", "text --- x", "# h")), (lines) => {
        const body = lines.join("\n");
        const text = `---\nname: x\n---\n${body}`;
        const result = parseFrontmatter(text);
        if (!result.ok) throw new Error(result.error.message);
        expect(result.value.body).toBe(body);
        expect(
          text
            .split("\n")
            .slice(result.value.bodyLine - 1)
            .join("\n"),
        ).toBe(body);
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  test("never throws, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("---", "\n", "\r\n", "a: 1", "...", "- x", "{", "\uFEFF", "--- ", "-"), {
          maxLength: 12,
        }),
        (parts) => {
          expect(typeof parseFrontmatter(parts.join("")).ok).toBe("boolean");
        },
      ),
      { numRuns: 3000, seed: 4 },
    );
  });
});

test("a description that goes on over lines is one text where files are mended, and the lines after it keep their numbers", () => {
  const text = [
    "---",
    "name: reviewer",
    "description: Use this when: asked. Examples:",
    "",
    "<example>",
    'user: "Look at it"',
    'assistant: "I\'ll look"',
    "</example>",
    "model: inherit",
    "tools: [Read]",
    "---",
    "body",
  ].join("\n");
  expect(parseFrontmatter(text)).toMatchObject({ ok: false });
  const read = parseFrontmatter(text, { repairs: true });
  if (!read.ok) throw new Error(read.error.message);
  const { data, body, lineOf } = read.value;
  expect(data).toMatchObject({ name: "reviewer", model: "inherit", tools: ["Read"] });
  expect(data["description"]).toBe(
    'Use this when: asked. Examples:\n\n<example>\nuser: "Look at it"\nassistant: "I\'ll look"\n</example>',
  );
  expect([body, lineOf("$.model"), lineOf("$.tools")]).toEqual(["body", 9, 10]);
  expect(parseFrontmatter("---\ndescription: a\nb: - c\n---\n", { repairs: true })).toMatchObject({ ok: false });
});
