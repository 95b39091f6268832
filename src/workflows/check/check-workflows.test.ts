import { expect, test } from "vitest";
import { foundIn } from "../../../test/support/cycle-of.ts";

const cycle = "workflows/cycles/tidy.md";
const make = "workflows/phases/make.md";
const gate = "workflows/policies/tidy-gate.md";
const change = (from: string, to: string) => (text: string) => text.replace(from, to);

test("definitions that are sound have no problem", async () => expect(await foundIn({})).toEqual([]));

test.each([
  [
    "a phase that nothing leads to",
    {
      [cycle]: (text: string) =>
        text.replace("entry_phase: make", "entry_phase: look").replace(/transitions:\n.*\n/, ""),
    },
    "unreachable-phase",
    /nothing leads from look to make/,
  ],
  [
    "a phase that cannot be left",
    { [make]: change('output.output != ""', "1 == 2") },
    "no-way-out",
    /make cannot be left in tidy/,
  ],
  [
    "a cycle that cannot end",
    { [cycle]: change("loop_bounds", 'exit_conditions: { done: "false" }\nloop_bounds') },
    "no-way-out",
    /no way leads to the end/,
  ],
  [
    "a loop without a bound",
    { [cycle]: (text: string) => text.replace(/loop_bounds:.*\n/, "") },
    "unbounded-loop",
    /a loop through make has no bound/,
  ],
  [
    "a policy that never matches",
    {
      [gate]: (text: string) =>
        text
          .replace("finding.severity == 'P0'", "finding.severity == 'P9'")
          .replace("finding.autofix_class == 'safe_auto'", "finding.confidence > 100"),
    },
    "never-matches",
    /no rule of tidy-gate can ever match: its default \(advisory\) always decides/,
  ],
  [
    "a rule that never decides",
    { [gate]: change("finding.autofix_class == 'safe_auto'", "finding.severity == 'P0' && finding.confidence == 30") },
    "never-matches",
    /rule 2 of tidy-gate can never decide/,
  ],
  [
    "a rule behind one that is always true",
    { [gate]: change("finding.severity == 'P0'", '"true"') },
    "never-matches",
    /rule 2 of tidy-gate/,
  ],
  [
    "a rule about personas that no phase asks",
    { "workflows/policies/tidy-rights.md": change("persona.role == 'worker'", "persona.kind == 'researcher'") },
    "never-matches",
    /rule 1 of tidy-rights/,
  ],
  [
    "a policy that no cycle asks",
    { [cycle]: change(", tidy-loop", "") },
    "never-matches",
    /no cycle asks the policy tidy-loop/,
  ],
  [
    "a field of an aggregate that is none",
    { "workflows/phases/look.md": change("p0_unresolved", "p0_unresolvd") },
    "unproduced-field",
    /nothing produces review_aggregate.p0_unresolvd/,
  ],
  [
    "a review before any persona reviewed",
    {
      [make]: change('output.output != ""', "review_aggregate.grade > 50"),
      [cycle]: (text: string) => text.replace(/transitions:\n.*\n/, ""),
    },
    "unproduced-field",
    /nobody reviews there or before/,
  ],
  [
    "an output that no phase makes",
    { "workflows/phases/look.md": change("review_aggregate.p0_unresolved == 0", "output.done == true") },
    "unproduced-field",
    /where nobody makes it/,
  ],
  [
    "an output of a phase that is none",
    { "workflows/phases/look.md": change("review_aggregate.p0_unresolved == 0", 'outputs.mak.output != ""') },
    "unproduced-field",
    /outputs.mak.output/,
  ],
  [
    "a field that the output's schema does not have",
    {
      [make]: (text: string) =>
        text
          .replace('output.output != ""', "output.stepps.size() > 0")
          .replace("schema_version", "output_schema: plan_v1\nschema_version"),
    },
    "unproduced-field",
    /nothing produces output.stepps/,
  ],
  [
    "an answer of a person who is never asked",
    { [make]: change('output.output != ""', "approval.decision == 'approved'") },
    "unproduced-field",
    /waits for no person/,
  ],
] as const)("%s is found, with its line and a way out", async (_, changes, rule, message) => {
  const problems = await foundIn(changes);
  const found = problems.find((problem) => problem.rule === rule && message.test(problem.message));
  expect(found, problems.map((problem) => `${problem.rule}: ${problem.message}`).join("\n")).toBeDefined();
  expect(found?.hint).not.toBe("");
});
