import { expect, test } from "vitest";
import { alignSteps, diffSessions } from "./align-steps.ts";
import type { SessionStep } from "./session-steps.ts";

const call = (label: string, result = "fine"): SessionStep => ({ kind: "call", name: label, label, result, seq: 1 });
const tool = (name: string, args: string, result = "fine"): SessionStep => ({
  kind: "tool",
  name,
  label: `${name} ${args}`,
  result,
  seq: 1,
});
const rows = (a: readonly SessionStep[], b: readonly SessionStep[]) =>
  alignSteps(a, b).map(({ state, a: left, b: right }) => [state, left?.label ?? "-", right?.label ?? "-"].join(" | "));

test("steps that both made stand beside each other, with their results compared", () => {
  const aligned = alignSteps(
    [call("lead"), call("planner", "two steps"), call("worker"), call("reviewer")],
    [call("lead"), call("planner", "one step"), call("reviewer"), call("worker")],
  );
  expect(aligned.map(({ state, a, b }) => `${state} ${(a ?? b)?.label}`)).toEqual([
    "same lead",
    "changed planner",
    "only_a worker",
    "same reviewer",
    "only_b worker",
  ]);
});

test("calls of one tool with other arguments stand beside each other, unless the same call has a partner", () => {
  expect(
    rows(
      [call("lead"), tool("echo", "Ada"), tool("fs.read", "tea"), tool("fs.read", "milk")],
      [call("lead"), tool("echo", "Bob"), tool("fs.read", "milk"), tool("fs.read", "salt")],
    ),
  ).toEqual([
    "same | lead | lead",
    "changed | echo Ada | echo Bob",
    "only_a | fs.read tea | -",
    "same | fs.read milk | fs.read milk",
    "only_b | - | fs.read salt",
  ]);
  // Another tool is another step, and so is a role with the name of a tool.
  expect(rows([tool("echo", "Ada")], [call("echo")])).toEqual(["only_a | echo Ada | -", "only_b | - | echo"]);
});

test("sessions of any length are compared a window at a time: a step that was put in moves the others by one place", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => tool("echo", String(index)));
  const other = many.with(700, tool("echo", "changed")).toSpliced(4_000, 0, call("lead"));
  const aligned = alignSteps(many, other);
  expect(aligned).toHaveLength(5_001);
  expect(rows(many, other).filter((row) => !row.startsWith("same"))).toEqual([
    "changed | echo 700 | echo changed",
    "only_b | - | lead",
  ]);
  // Where nothing is common each side is listed whole, in its order.
  const stranger = Array.from({ length: 3_000 }, (_, index) => call(`role ${index}`));
  const apart = alignSteps(many, stranger);
  expect(apart.flatMap(({ a }) => (a ? [a] : []))).toEqual(many);
  expect(apart.flatMap(({ b }) => (b ? [b] : []))).toEqual(stranger);
});

test("a session differs from itself in nothing, and from one with another output in that", () => {
  const one = { steps: [call("lead")], status: "success", output: "yes", tokens: 3, usd: 0 };
  expect(diffSessions(one, one).same).toBe(true);
  expect(diffSessions(one, { ...one, output: "no" })).toMatchObject({ same: false, output: { same: false } });
});
