import { expect, test } from "vitest";
import type { EvalReportV1 } from "#core/contracts";
import { compareReports } from "./compare-reports.ts";

const report = (rates: Readonly<Record<string, number>>): EvalReportV1 => ({
  suite: "s",
  suite_hash: "0".repeat(64),
  ran_at: "2026-11-15T00:00:00.000Z",
  passed: 0,
  failed: 0,
  cases: Object.entries(rates).map(([id, pass_rate]) => ({ id, pass_rate, repeats: [] })),
  schema_version: "v1",
});

test("a case that passes less often is a regression; one that passes as often or more is none", () => {
  expect(compareReports(report({ a: 1, b: 0.5, c: 0 }), report({ a: 0.8, b: 1, c: 0 }))).toEqual([
    { case: "b", before: 1, now: 0.5 },
  ]);
});

test("a case that is gone is a regression if it ever passed", () => {
  expect(compareReports(report({}), report({ a: 1, b: 0 }))).toEqual([{ case: "a", before: 1, now: null }]);
});

test("a new case has nothing to be worse than", () => {
  expect(compareReports(report({ fresh: 0 }), report({}))).toEqual([]);
});
