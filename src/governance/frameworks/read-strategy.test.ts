import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { readStrategy } from "./read-strategy.ts";

const sound = {
  strategy_id: "STR-A-001",
  version: "1.0.0",
  steps: [
    { id: "a", prompt: "{{subject}}", repeat: { until: "steps.a.json.done == true", at_most: 2 } },
    { id: "b", when: "input.deep && steps.a.ran", delegate: { tasks: ["x"], prompt: "{{task}} of {{steps.a}}" } },
  ],
  answer: "a",
  schema_version: "v1",
};
const read = (changes: object) => readStrategy({ ...sound, ...changes }, "STR-A-001", shippedRegistry());

test("a sound strategy names what its prompts take from the order", () => {
  const strategy = read({});
  expect(strategy.ok && strategy.value.parameters).toEqual(["subject"]);
});

const x = { prompt: "x" };
test.each([
  [
    "two steps of one name",
    {
      steps: [
        { id: "a", ...x },
        { id: "a", ...x },
      ],
    },
    "two steps are called a",
  ],
  [
    "a step that comes later",
    {
      steps: [
        { id: "a", prompt: "{{steps.b}}" },
        { id: "b", ...x },
      ],
    },
    "no step b",
  ],
  ["its own answer, unless it is repeated", { steps: [{ id: "a", prompt: "{{steps.a}}" }], answer: "a" }, "no step a"],
  ["a condition over no step", { steps: [{ id: "a", when: "steps.b.ran", ...x }] }, "no step b"],
  [
    "a fact that no step has",
    {
      steps: [
        { id: "a", ...x },
        { id: "b", when: "steps.a.okay", ...x },
      ],
    },
    "no okay",
  ],
  ["another variable", { steps: [{ id: "a", when: "outcome.ok", ...x }] }, "outcome"],
  ["tasks of no step", { steps: [{ id: "a", delegate: { tasks: "steps.b.json" } }] }, "no step b"],
  ["a task where none is", { steps: [{ id: "a", prompt: "{{task}}" }] }, "{{task}}"],
  ["an answer of no step", { answer: "z" }, "of no step: z"],
  ["another id", { strategy_id: "STR-B-001" }, "it holds STR-B-001"],
  ["a step that does both", { steps: [{ id: "a", ...x, delegate: { tasks: ["y"] } }] }, "steps[0]"],
  ["a step that does nothing", { steps: [{ id: "a" }] }, "steps[0]"],
])("%s is refused by name", (_, changes, said) => {
  const strategy = read(changes);
  expect(strategy.ok ? "sound" : strategy.error).toContain(said);
});
