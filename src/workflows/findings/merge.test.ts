import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { aggregate } from "./aggregate.ts";
import { autofixClasses, confidences, severities } from "./finding.ts";
import { mergeFindings, type PersonaFindings } from "./merge.ts";

const said = (changes: object = {}) => ({
  title: "Token in a log",
  severity: "P2" as const,
  confidence: 50 as const,
  file: "a.ts",
  line: 3,
  category: "secrets",
  ...changes,
});
const from = (persona: string, ...findings: ReturnType<typeof said>[]): PersonaFindings => ({
  persona,
  said: { findings, schema_version: "v1" },
});
const coverage = (expected: string[], reported = expected, optional: string[] = []) => ({
  expected,
  reported,
  optional,
  files: [],
});

describe("findings of several personas", () => {
  test("two personas with different fixes for one finding leave it to a person; an undisputed fix stays", () => {
    const fix = { file: "a.ts", find: "x", replace: "y" };
    const safe = (more: object) => said({ autofix_class: "safe_auto", ...more });
    const [disputed] = mergeFindings([from("a", safe({ fix })), from("b", safe({ fix: { ...fix, replace: "z" } }))]);
    expect(disputed).toMatchObject({ autofix_class: "manual" });
    expect(disputed).not.toHaveProperty("fix");
    const [agreed] = mergeFindings([from("a", safe({})), from("b", safe({ fix }))]);
    expect(agreed).toMatchObject({ autofix_class: "safe_auto", fix });
  });

  test("are one where they mean one place, and the conservative choice wins", () => {
    const [merged, ...others] = mergeFindings([
      from(
        "a",
        said({
          severity: "P3",
          autofix_class: "safe_auto",
          confidence: 25,
          pre_existing: true,
          resolved: true,
          evidence: ["x"],
        }),
      ),
      from(
        "b",
        said({
          title: "Secrets are logged",
          severity: "major",
          autofix_class: "advisory",
          confidence: 75,
          evidence: ["y"],
        }),
      ),
    ]);
    expect(others).toEqual([]);
    expect(merged).toMatchObject({
      reviewer: "a",
      reviewers: ["a", "b"],
      severity: "P1",
      autofix_class: "advisory",
      confidence: 75,
      pre_existing: false,
      resolved: false,
      evidence: ["x", "y"],
    });
  });

  test.each([
    ["critical", "P0"],
    ["major", "P1"],
    ["minor", "P2"],
    ["info", "P3"],
  ])("%s is %s", (severity, expected) =>
    expect(mergeFindings([from("a", said({ severity }))])[0]?.severity).toBe(expected),
  );

  test("are the same in whatever order the personas answer", () => {
    const one = fc.record({
      title: fc.constantFrom("Dust", "dust!", "Holes"),
      severity: fc.constantFrom(...severities),
      autofix_class: fc.constantFrom(...autofixClasses),
      confidence: fc.constantFrom(...confidences),
      file: fc.constantFrom("a.ts", "./a.ts", "b.ts"),
      line: fc.integer({ min: 1, max: 3 }),
      category: fc.constantFrom("x", "y"),
      pre_existing: fc.boolean(),
      resolved: fc.boolean(),
    });
    const reports = fc.uniqueArray(
      fc.record({ persona: fc.constantFrom("a", "b", "c", "d"), findings: fc.array(one, { maxLength: 6 }) }),
      { selector: ({ persona }) => persona, maxLength: 4 },
    );
    fc.assert(
      fc.property(reports, fc.infiniteStream(fc.nat()), (given, chance) => {
        const all = given.map(({ persona, findings }) => from(persona, ...(findings as never[])));
        const shuffled = all.toSorted(() => ((chance.next().value ?? 0) % 3) - 1);
        expect(mergeFindings(shuffled)).toEqual(mergeFindings(all));
      }),
      { numRuns: 1_000, seed: 12 },
    );
  });
});

describe("the aggregate", () => {
  test("keeps old and suppressed findings apart and satisfies its contract", () => {
    const findings = mergeFindings([
      from(
        "a",
        said({ severity: "P0" }),
        said({ line: 4, severity: "P1", pre_existing: true }),
        said({ line: 5, severity: "P0", resolved: true }),
      ),
    ]);
    const whole = aggregate({
      findings,
      suppressed: mergeFindings([from("b", said({ line: 9 }))]),
      coverage: coverage(["a", "b"]),
      generation: 2,
    });
    expect(whole).toMatchObject({ verdict: "fail", p0_unresolved: 1, p1_unresolved: 0, grade: 60, generation: 2 });
    expect(whole.findings).toHaveLength(2);
    expect(whole.pre_existing).toHaveLength(1);
    expect(whole.suppressed).toHaveLength(1);
    expect(shippedRegistry().validate("review_aggregate_v1", whole)).toMatchObject({ ok: true });
  });

  test("fails when a required persona is missing", () => {
    const empty = { findings: [], suppressed: [], generation: 1 };
    expect(aggregate({ ...empty, coverage: coverage(["a", "b"], ["a"]) })).toMatchObject({
      verdict: "fail",
      coverage: { missing: ["b"] },
    });
    expect(aggregate({ ...empty, coverage: coverage(["a", "b"], ["a"], ["b"]) })).toMatchObject({
      verdict: "pass",
      coverage: { missing: ["b"] },
    });
  });
});
