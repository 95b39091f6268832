import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { exportSkill } from "./export-skill.ts";
import { parseSkill } from "./parse-skill.ts";

const schemas = shippedRegistry();
const parse = (text: string, folder = "a") =>
  parseSkill({ folder, origin: "workspace", path: `skills/${folder}/SKILL.md`, text }, schemas);

test("an absent allowed-tools is no tools, and so is an empty one", () => {
  for (const line of ["", "allowed-tools:\n", "allowed-tools: []\n", 'allowed-tools: ""\n'])
    expect(parse(`---\nname: a\ndescription: d\n${line}---\n`)).toMatchObject({
      ok: true,
      value: { allowedTools: [] },
    });
});

test("whatever stands in a file, reading it ends with a skill or a reason that names file and line", () => {
  const lines = fc.constantFrom(
    "---",
    "...",
    "name: a",
    "name: [",
    "description: d",
    "description: x: y: z",
    "description: |",
    "  text",
    "triggers:",
    "  - t",
    "triggers: {a: 1}",
    "allowed-tools: Bash(git:*) Read",
    "allowed-tools: ((((",
    "- - - - - -",
    "? : ? :",
    "&a *a",
    "<<: *a",
    "!!js/function x",
    "\t",
    "\r",
    "metadata: {triggers: '['}",
    "version: 1.2.3",
    '"',
    "'",
    "{[{[",
    "#",
    "\u0000",
    "\ud800",
  );
  const junk = fc.oneof(
    fc.array(lines, { maxLength: 40 }).map((parts) => `---\n${parts.join("\n")}`),
    fc.string({ unit: "binary" }).map((text) => `---\n${text}\n---\n`),
  );
  fc.assert(
    fc.property(junk, (text) => {
      const parsed = parse(text);
      if (!parsed.ok) expect(parsed.error.message).toMatch(/^skills\/a\/SKILL\.md:\d+: ./);
      else expect(parsed.value.id).toBe("a");
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 100_000 : 1_500 },
  );
});

test.for([
  { kind: "brackets without end", text: "[".repeat(200_000) },
  { kind: "braces without end", text: "{a: ".repeat(50_000) },
  { kind: "lists in lists", text: "- ".repeat(100_000) },
  { kind: "many keys", text: Array.from({ length: 20_000 }, (_, index) => `k${index}: v`).join("\n") },
  { kind: "a long line of colons", text: `description: ${"a: ".repeat(60_000)}` },
  { kind: "open parentheses in tools", text: `name: a\ndescription: d\nallowed-tools: ${"(".repeat(200_000)}` },
  { kind: "quotes in a description", text: `name: a\ndescription: '${'"x'.repeat(2000)}'` },
])("a head of $kind is answered", ({ text }) => {
  expect(parse(`---\n${text}\n---\n`)).toHaveProperty("ok");
});

const tool = fc.stringMatching(/^[a-z]{1,6}(\.[a-z*]{1,6})?$/);
const phrase = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() === text && text.isWellFormed() && !/\s/.test(text.replaceAll(" ", "")));

test("what is exported in the specification's form reads back as the same skill", () => {
  fc.assert(
    fc.property(
      fc.array(phrase, { maxLength: 4 }),
      fc.uniqueArray(tool, { maxLength: 4 }),
      fc.option(fc.nat(99)),
      phrase,
      (triggers, tools, version, description) => {
        const head = {
          name: "a",
          description,
          triggers,
          "allowed-tools": tools,
          ...(version === null ? {} : { version }),
          license: "MIT",
        };
        const first = parse(`---\n${JSON.stringify(head)}\n---\n\n# Body\n\ntext\n`);
        if (!first.ok) throw new Error(first.error.message);
        const text = exportSkill(first.value);
        const again = parse(text);
        if (!again.ok) throw new Error(`${again.error.message}\n${text}`);
        const essence = ({
          id,
          description: about,
          triggers: words,
          allowedTools,
          body,
          frontmatter,
        }: typeof first.value) => ({ id, about, words, allowedTools, body, version: frontmatter.version });
        // Without triggers the quoted words of the description stand in for them, in both readings alike.
        expect(essence(again.value)).toEqual(essence(first.value));
        expect(exportSkill(again.value)).toBe(text);
      },
    ),
    { numRuns: 300 },
  );
});

test("a skill that has no triggers gains none by being exported, whatever its description quotes", () => {
  const first = parse('---\nname: a\ndescription: says "good morning" to people\ntriggers: []\n---\nBody\n');
  if (!first.ok) throw new Error(first.error.message);
  const again = parse(exportSkill(first.value));
  expect(again.ok && again.value.triggers).toEqual([]);
});

test("an export has the specification's fields only", () => {
  const parsed = parse(
    "---\nname: a\ndescription: d\ntriggers: [x]\nallowed-tools: [echo, fs.read]\nversion: 2\nmodel: fast\nschema_version: v1\n---\nBody\n",
  );
  expect(parsed.ok && exportSkill(parsed.value)).toBe(
    '---\nname: a\ndescription: d\nmetadata:\n  model: fast\n  triggers: x\n  version: "2"\nallowed-tools: echo fs.read\n---\n\nBody\n',
  );
});

test("a head says whether a person or the agent starts it, whether its word is a text or not", () => {
  const startedBy = (line: string) => {
    const read = parse(`---\nname: a\ndescription: d\n${line}\n---\n`);
    return read.ok ? read.value.startedOnlyBy : read.error.message;
  };
  expect(startedBy("disable-model-invocation: true")).toBe("person");
  expect(startedBy('disable-model-invocation: "True"')).toBe("person");
  expect(startedBy("disable-model-invocation: false")).toBeUndefined();
  expect(startedBy("user-invocable: false")).toBe("agent");
});
