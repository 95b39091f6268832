import { expect, test } from "vitest";
import { stepLines, stepTexts } from "../../studio/src/pages/step-lines.ts";
import { ruleInputs } from "../../studio/src/workflow/rule-inputs.ts";

const facts = {
  finding: { severity: "P1", confidence: 75, title: "a late timer", tags: ["time"] },
  parameters: { min_confidence: 50 },
  budget: { share_left: 0.5 },
};

test.each([
  ["finding.confidence >= parameters.min_confidence", ["finding.confidence 75", "parameters.min_confidence 50"]],
  // A name that is asked twice is told once; words in quotes are no names.
  [`finding.severity == 'finding.title' || finding.severity == "P0"`, ["finding.severity P1"]],
  // What is called on a value is no part of its name.
  [
    "finding.title.contains('timer') && finding.tags.size() > 0",
    ["finding.title a late timer", 'finding.tags ["time"]'],
  ],
  // What the record does not hold is not made up.
  ["finding.resolved != true && context.trust == 'trusted'", []],
  ["true", []],
])("%s saw %j", (expression, seen) => {
  expect(ruleInputs(expression, facts).map(({ name, value }) => `${name} ${value}`)).toEqual(seen);
});

const answer = (intent: string) =>
  JSON.stringify({ intent, steps: [{ id: "s1", description: intent }], constraints: [] });

test("of two answers in JSON the parts that differ are compared, each by its path", () => {
  expect(stepLines(answer("greet Ada"), answer("greet Bob"), true)).toEqual([
    "intent: greet Ada\nsteps[0].description: greet Ada",
    "intent: greet Bob\nsteps[0].description: greet Bob",
  ]);
  expect(stepLines(answer("greet Ada"), answer("greet Bob"), false)[0]).toBe(
    "intent: greet Ada\nsteps[0].id: s1\nsteps[0].description: greet Ada\nconstraints: []",
  );
});

test("what is no JSON, or only looks like it, stays as it is; a side that is missing is empty", () => {
  expect(stepLines("{half", "plain", true)).toEqual(["{half", "plain"]);
  expect(stepLines(undefined, answer("x"), true)[0]).toBe("");
});

const echo = (text: string, result: string) => ({
  name: "echo",
  label: `echo ${JSON.stringify({ text, loud: false })}`,
  result: JSON.stringify(result),
});

test("of two calls of one tool the arguments that differ stand above what came of them", () => {
  expect(stepTexts(echo("Ada", "Hello, Ada"), echo("Bob", "Hello, Bob"), true)).toEqual([
    'text: Ada\n→ "Hello, Ada"',
    'text: Bob\n→ "Hello, Bob"',
  ]);
  // The same call is told by its title; a refused one has no arguments on record.
  expect(stepTexts(echo("Ada", "one"), echo("Ada", "two"), true)).toEqual(['"one"', '"two"']);
  expect(stepTexts(echo("Ada", "one"), { name: "echo", label: "echo", result: "refused" }, false)).toEqual([
    'text: Ada\nloud: false\n→ "one"',
    "\n→ refused",
  ]);
});
