import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { hookPoints } from "./hook-points.ts";
import { mergeAnswers } from "./merge-answers.ts";

const rank = { none: -1, allow: 0, transform: 1, ask: 2, deny: 3 };
let count = 0;
const answer = fc
  .record({
    decision: fc.constantFrom("allow", "deny", "transform", "ask", "none" as const),
    output: fc.jsonValue(),
    change: fc.boolean(),
  })
  .map(({ decision, output, change }): Answer => {
    const id = `h${count++}`;
    const withOutput = decision === "transform" || (decision === "ask" && change);
    return {
      handler: { id, kind: "function", hash: "0".repeat(64) },
      decision,
      reason: `${id} says ${decision}`,
      durationMs: 0,
      ...(withOutput ? { output: output as never } : {}),
    };
  });

test("adding a handler never makes the outcome less conservative", () => {
  const gates = hookPoints.filter((point) => point !== "Stop"); // at Stop silence already denies
  fc.assert(
    fc.property(
      fc.constantFrom(...gates),
      fc.array(answer),
      fc.array(answer),
      answer,
      (point, before, after, added) => {
        const without = mergeAnswers(point, [...before, ...after]);
        const having = mergeAnswers(point, [...before, added, ...after]);
        expect(rank[having.decision]).toBeGreaterThanOrEqual(rank[without.decision]);
        expect(rank[having.decision]).toBeGreaterThanOrEqual(rank[added.decision]);
      },
    ),
  );
});

test("at Stop a handler that speaks never loosens what another one said", () => {
  fc.assert(
    fc.property(
      fc.array(
        answer.filter(({ decision }) => decision !== "none"),
        { minLength: 1 },
      ),
      answer,
      (others, added) => {
        const rankOf = (answers: readonly Answer[]) => rank[mergeAnswers("Stop", answers).decision];
        expect(rankOf([...others, added])).toBeGreaterThanOrEqual(rankOf(others));
      },
    ),
  );
});

test("the outcome is the most conservative decision, said by someone who said it", () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 1 }), (answers) => {
      const outcome = mergeAnswers("PreToolUse", answers);
      const most = Math.max(...answers.map(({ decision }) => rank[decision]));
      if (most < 0) expect(outcome).toMatchObject({ decision: "allow", decidedBy: "none" });
      else {
        expect(rank[outcome.decision]).toBe(most);
        const decider = answers.find(({ handler }) => handler.id === outcome.decidedBy);
        expect(decider?.decision).toBe(outcome.decision);
      }
      if (outcome.decision === "transform") expect("output" in outcome).toBe(true);
      if (outcome.decision === "deny" || outcome.decision === "allow") expect("output" in outcome).toBe(false);
    }),
  );
});

test("where nobody is asked the way is free and says so; at Stop the loop ends", () => {
  expect(mergeAnswers("PreToolUse", [])).toEqual({
    decision: "allow",
    decidedBy: "none",
    reason: "no hook is asked at PreToolUse",
  });
  expect(mergeAnswers("Stop", [])).toEqual({
    decision: "deny",
    decidedBy: "none",
    reason: "no hook is asked at Stop: the loop ends",
  });
});
