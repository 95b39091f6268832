import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { fraction, seededRandom } from "#core/values";
import { type Changes, cycleOf } from "../../../test/support/cycle-of.ts";
import { generateScenario } from "./generate-findings.ts";
import type { Happening, Scenario } from "./scenario.ts";
import { simulateCycle } from "./simulate-cycle.ts";

const schemas = shippedRegistry();
const dust = (changes: object = {}) =>
  ({ title: "Dust", severity: "P2", confidence: 75, file: "a.ts", line: 3, category: "dust", ...changes }) as never;
const looks = (...visits: readonly object[][]): Scenario => ({
  phases: { look: visits.map((findings): Happening => ({ findings: { "sharp-eye": findings as never[] } })) },
});
const change = (from: string, to: string) => (text: string) => text.replace(from, to);

async function simulate(scenario: Scenario, changes: Changes = {}) {
  return simulateCycle(await cycleOf(changes), scenario, schemas);
}

describe("the five kinds of policies", () => {
  test("confidence-gating splits actionable from suppressed", async () => {
    const { steps, verdict } = await simulate(looks([dust({ severity: "P0", confidence: 25 }), dust({ line: 9 })]));
    expect(verdict).toBe("done"); // a P0 of low confidence does not stop the cycle
    expect(steps[1]?.aggregate).toMatchObject({ findings: [{ line: 9 }], suppressed: [{ severity: "P0" }] });
  });

  test("severity-routing routes into apply, gated, manual and advisory; the more careful of two policies wins", async () => {
    const second = {
      "workflows/policies/second.md":
        "---\nid: second\nkind: severity-routing\nrules:\n  - { when: finding.line == 3, then: manual, reason: careful }\ndefault: allow\nschema_version: v1\n---\n",
    };
    const scenario = looks([
      dust({ autofix_class: "safe_auto" }),
      dust({ line: 4, autofix_class: "safe_auto" }),
      dust({ line: 5 }),
    ]);
    const { steps } = await simulate(scenario, {
      ...second,
      "workflows/cycles/tidy.md": change("[tidy-floor,", "[second, tidy-floor,"),
    });
    expect(steps[1]?.aggregate).toMatchObject({ routes: { apply: 1, manual: 1, advisory: 1, gated: 0 } });
  });

  test("a denial of a finding ends the cycle as abort", async () => {
    const { verdict, reason, steps } = await simulate(looks([dust({ severity: "P0" })]));
    expect([verdict, reason]).toEqual(["abort", expect.stringMatching(/^tidy-gate denies \(\w+\): a P0 stops it$/)]);
    expect(steps.at(-1)?.decisions).toContainEqual(
      expect.objectContaining({ policy: "tidy-gate", decision: "deny", rule: 0 }),
    );
  });

  test("role-permissions keeps a persona out; without a default that is everybody who is not named", async () => {
    const only = {
      "workflows/policies/tidy-rights.md": change("persona.role == 'reviewer'", "persona.id == 'sharp-eye'"),
    };
    expect(await simulate({}, only)).toMatchObject({
      verdict: "done",
      steps: [
        {},
        { personas: expect.arrayContaining([expect.objectContaining({ persona: "soft-eye", asked: false })]) },
      ],
    });
    const noPersona = {
      "workflows/policies/tidy-rights.md": change("persona.role == 'worker'", "persona.id == 'none-such'"),
    };
    expect(await simulate({}, noPersona)).toMatchObject({
      verdict: "abort",
      reason: "tidy-rights denies maker: no rule matched, and without a default that is a denial",
    });
  });

  test("mode-dispatch lets a phase through in some modes", async () => {
    const changes = {
      "workflows/policies/modes.md":
        "---\nid: modes\nkind: mode-dispatch\nrules:\n  - { when: 'true', mode: autofix, then: allow, reason: fine }\nschema_version: v1\n---\n",
      "workflows/cycles/tidy.md": change("[tidy-floor,", "[modes, tidy-floor,"),
    };
    expect(await simulate({ mode: "autofix" }, changes)).toMatchObject({ verdict: "done" });
    expect(await simulate({ mode: "headless" }, changes)).toMatchObject({
      verdict: "abort",
      reason: expect.stringContaining("modes denies the mode headless"),
    });
  });

  test.each([
    [
      "more generations than allowed",
      "parameters: { max_generations: 1 }",
      [[dust({ severity: "P1" })], [dust({ severity: "P1", line: 4 })]],
      /generation 2 of at most 1/,
    ],
    [
      "findings that go back and forth",
      "parameters: { oscillation_window: 4 }",
      [[dust({ severity: "P1" })], [dust({ severity: "P1", line: 4 })], [dust({ severity: "P1" })]],
      /go back and forth/,
    ],
    [
      "a grade that falls",
      "parameters: { grade: review_aggregate.grade }",
      [[dust({ severity: "P1" })], [dust({ severity: "P1" }), dust({ severity: "P1", line: 4 })]],
      /the grade fell from 85 to 70/,
    ],
  ])("loop-halt ends a loop on %s", async (_, parameters, visits, reason) => {
    const simulated = await simulate(looks(...visits), {
      "workflows/policies/tidy-loop.md": change("parameters: { oscillation_window: 4 }", parameters),
      "workflows/cycles/tidy.md": change(
        "max_generations: 3, max_phase_visits: 3",
        "max_generations: 9, max_phase_visits: 9",
      ),
      "workflows/phases/make.md": (text) => text,
    });
    expect(simulated).toMatchObject({ verdict: "halted", reason: expect.stringMatching(reason) });
  });

  test("a rule that cannot be evaluated denies", async () => {
    const { verdict, reason } = await simulate(looks([dust()]), {
      "workflows/policies/tidy-gate.md": change("finding.severity == 'P0'", "finding.end_line > 3"),
    });
    expect([verdict, reason]).toEqual(["abort", expect.stringContaining("could not be evaluated")]);
  });

  test("a shadow is recorded beside the decisions in force and changes nothing, neither way", async () => {
    const scenario = looks([dust({ severity: "P0" })]);
    const shadowed = (then: string) => ({
      "workflows/policies/shadow.md": `---\nid: shadow\nkind: severity-routing\nshadow: true\nrules:\n  - { when: "true", then: ${then}, reason: tried out }\nschema_version: v1\n---\n`,
      "workflows/cycles/tidy.md": change("[tidy-floor,", "[shadow, tidy-floor,"),
    });
    const strict = await simulate(looks([dust()]), shadowed("deny"));
    const loose = await simulate(scenario, shadowed("apply"));
    expect([strict.verdict, loose.verdict]).toEqual(["done", "abort"]);
    for (const { steps } of [strict, loose])
      expect(steps[1]?.decisions.filter(({ shadow }) => shadow)).toMatchObject([
        { policy: "shadow", reason: "tried out" },
      ]);
    const plain = await simulate(looks([dust()]));
    expect(strict.steps[1]?.aggregate).toEqual(plain.steps[1]?.aggregate);
  });
});

describe("each finding", () => {
  const gate = {
    "workflows/policies/tidy-gate.md": `---
id: tidy-gate
kind: severity-routing
rules:
  - { when: finding.severity == 'P0', then: deny, reason: a P0 stops it }
  - { when: finding.autofix_class == 'safe_auto', then: apply, reason: safe }
  - { when: finding.autofix_class == 'gated_auto', then: gated, reason: somebody nods }
  - { when: finding.autofix_class == 'manual', then: manual, reason: a person mends it }
default: advisory
schema_version: v1
---
`,
  };
  const fix = { file: "output/tidy/a.ts", find: "dust", replace: "gold" };
  const routed = [
    dust({ line: 1, autofix_class: "safe_auto", severity: "P1", fix }),
    dust({ line: 2, autofix_class: "gated_auto", severity: "P1", fix }),
    dust({ line: 3, autofix_class: "manual" }),
    dust({ line: 4, autofix_class: "advisory" }),
    dust({ line: 5, autofix_class: "safe_auto" }),
    dust({ line: 6, autofix_class: "safe_auto", fix: { ...fix, file: "src/law.ts" } }),
    dust({ line: 7, confidence: 25 }),
  ];
  const endsOf = ({ steps }: ReturnType<typeof simulateCycle>) =>
    (steps[1]?.findings ?? []).toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));

  test("is shown with its route, the rule that sent it there and its end; what is mended counts when signals are asked", async () => {
    const simulated = await simulate(looks(routed), gate);
    expect(endsOf(simulated)).toMatchObject([
      { route: "apply", policy: "tidy-gate", rule: 1, reason: "safe", outcome: "applied" },
      { route: "gated", policy: "tidy-gate", rule: 2, reason: "somebody nods", outcome: "applied" },
      { route: "manual", policy: "tidy-gate", rule: 3, outcome: "left", end: "a person mends it" },
      { route: "advisory", policy: "tidy-gate", rule: null, outcome: "left" },
      { route: "apply", outcome: "refused", end: "its reviewer gave no fix that could be applied" },
      { route: "apply", outcome: "refused", end: expect.stringContaining("tidy-rights") },
      { route: "suppressed", policy: "tidy-floor", rule: 0, reason: "nobody is sure", outcome: "left" },
    ]);
    // Two P1 would send the cycle back; fixed ones do not.
    expect(simulated).toMatchObject({ verdict: "done", phases_visited: ["make", "look"] });
    expect(simulated.steps[1]?.decisions).toContainEqual(expect.objectContaining({ subject: "workflow-fixer" }));
  });

  test("that is gated stays where no person approves or is there, and sends the cycle back", async () => {
    const denied: Scenario = {
      phases: { look: [{ findings: { "sharp-eye": routed.slice(1, 2) }, nod: "denied" }, {}] },
    };
    const refused = await simulate(denied, gate);
    expect(endsOf(refused)).toMatchObject([
      { route: "gated", outcome: "left", end: expect.stringContaining("not let") },
    ]);
    expect(refused.phases_visited).toEqual(["make", "look", "make", "look"]);
    const alone = await simulate({ ...looks(routed.slice(1, 2), []), mode: "headless" }, gate);
    expect(endsOf(alone)).toMatchObject([{ outcome: "left", end: "in the mode headless there is nobody to ask" }]);
  });

  test("is left as it is where one of them stops the cycle", async () => {
    const simulated = await simulate(looks([dust({ severity: "P0", line: 9 }), ...routed.slice(0, 1)]), gate);
    expect(simulated.verdict).toBe("abort");
    expect(endsOf(simulated)).toMatchObject([
      { route: "apply", outcome: "left", end: expect.stringContaining("stops the cycle") },
      { route: "deny", policy: "tidy-gate", rule: 0, reason: "a P0 stops it", outcome: "left" },
    ]);
  });
});

describe("loops and ends", () => {
  test("rework goes back while something serious is left, and ends when it is mended", async () => {
    expect(await simulate(looks([dust({ severity: "P1" })], []))).toMatchObject({
      verdict: "done",
      phases_visited: ["make", "look", "make", "look"],
    });
  });

  test("bounds halt a loop that does not end by itself", async () => {
    const serious = [dust({ severity: "P1" })];
    expect(await simulate(looks(serious))).toMatchObject({
      verdict: "halted",
      reason: expect.stringContaining("loop_bounds.max_generations"),
    });
    const unbounded = await simulate(looks(serious), {
      "workflows/cycles/tidy.md": (text) => text.replace(/loop_bounds:.*\n/, ""),
    });
    expect(unbounded).toMatchObject({ verdict: "halted", phases_visited: ["make", "look"] });
  });

  test("a halt signal ends the cycle before its personas are asked", async () => {
    const changes = {
      "workflows/phases/look.md": change("schema_version", "halt_signal: budget.share_left < 0.1\nschema_version"),
    };
    const simulated = await simulate({ share_left: 0.05 }, changes);
    expect(simulated).toMatchObject({ verdict: "abort", reason: expect.stringContaining("halt signal of look") });
    expect(simulated.steps.at(-1)?.personas).toEqual([]);
  });

  test("entry, done and abort conditions", async () => {
    const cycle = "workflows/cycles/tidy.md";
    expect(
      await simulate({}, { [cycle]: change("loop_bounds", "entry_condition: input.files.size() > 0\nloop_bounds") }),
    ).toMatchObject({ verdict: "abort" });
    expect(
      await simulate(
        { input: { files: ["a"] } },
        { [cycle]: change("loop_bounds", "entry_condition: input.files.size() > 0\nloop_bounds") },
      ),
    ).toMatchObject({ verdict: "done" });
    expect(
      await simulate(
        {},
        { [cycle]: change("loop_bounds", "exit_conditions: { done: \"phase.id == 'make'\" }\nloop_bounds") },
      ),
    ).toMatchObject({ verdict: "done", phases_visited: ["make"] });
    expect(
      await simulate(
        {},
        { [cycle]: change("loop_bounds", "exit_conditions: { abort: \"phase.id == 'look'\" }\nloop_bounds") },
      ),
    ).toMatchObject({ verdict: "abort" });
  });

  test("a person's no takes the way that is there for it, or ends the cycle", async () => {
    const look = "workflows/phases/look.md";
    const asks = { [look]: change("schema_version", "approval: { question: Fine? }\nschema_version") };
    const denied: Scenario = { phases: { look: [{ approval: "denied" }, { approval: "approved" }] } };
    expect(await simulate(denied, asks)).toMatchObject({
      verdict: "abort",
      reason: expect.stringContaining("was not approved"),
    });
    const way = {
      ...asks,
      "workflows/cycles/tidy.md": change(
        "transitions:\n",
        "transitions:\n  - { from: look, to: make, when: approval.decision == 'denied' }\n",
      ),
    };
    expect(await simulate(denied, way)).toMatchObject({
      verdict: "done",
      phases_visited: ["make", "look", "make", "look"],
    });
    expect(await simulate({ mode: "headless" }, asks)).toMatchObject({
      verdict: "abort",
      reason: expect.stringContaining("nobody to ask"),
    });
  });
});

test("the same scenario gives the same path, verdict and decisions however its findings are listed", async () => {
  const cycle = await cycleOf();
  const random = seededRandom(1_000);
  for (let round = 0; round < 10; round++) {
    const scenario = generateScenario(cycle, round);
    const first = JSON.stringify(simulateCycle(cycle, scenario, schemas));
    for (let time = 0; time < 10; time++)
      expect(
        JSON.stringify(
          simulateCycle(
            cycle,
            shuffled(scenario, () => fraction(random)),
            schemas,
          ),
        ),
      ).toBe(first);
  }
});

/** The same findings, personas in another order. */
function shuffled(scenario: Scenario, chance: () => number): Scenario {
  const phases = Object.entries(scenario.phases ?? {}).map(([phase, visits]) => [
    phase,
    visits.map((visit) => ({
      ...visit,
      findings: Object.fromEntries(Object.entries(visit.findings ?? {}).toSorted(() => chance() - 0.5)),
    })),
  ]);
  return { ...scenario, phases: Object.fromEntries(phases) };
}
