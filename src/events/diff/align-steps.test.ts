import { expect, test } from "vitest";
import { alignSteps, diffSessions } from "./align-steps.ts";
import type { SessionStep } from "./session-steps.ts";

const call = (label: string, result = "fine"): SessionStep => ({ kind: "call", label, result, seq: 1 });

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

test("a session differs from itself in nothing, and from one with another output in that", () => {
  const one = { steps: [call("lead")], status: "success", output: "yes", tokens: 3, usd: 0 };
  expect(diffSessions(one, one).same).toBe(true);
  expect(diffSessions(one, { ...one, output: "no" })).toMatchObject({ same: false, output: { same: false } });
});
