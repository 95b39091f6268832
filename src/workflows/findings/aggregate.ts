import type { ReviewAggregateV1 } from "#core/contracts";
import { type Finding, type Route, routes, type Severity } from "./finding.ts";

export type Aggregate = ReviewAggregateV1;

/** Who was asked and who answered. A persona that is missing and was not optional fails the review. */
export interface Coverage {
  readonly expected: readonly string[];
  readonly reported: readonly string[];
  readonly optional: readonly string[];
  readonly files: readonly string[];
}

/** What a finding costs of the grade. */
const weights: Readonly<Record<Severity, number>> = { P0: 40, P1: 15, P2: 5, P3: 1 };

/** Fan-in: what the findings come to. Old ones are kept apart, suppressed ones too; neither counts. */
export function aggregate(input: {
  readonly findings: readonly Finding[];
  readonly suppressed: readonly Finding[];
  readonly coverage: Coverage;
  readonly generation: number;
}): Aggregate {
  const { coverage } = input;
  const open = input.findings.filter((finding) => finding.pre_existing !== true);
  const unresolved = (severity: Severity) =>
    open.filter((each) => each.severity === severity && each.resolved !== true).length;
  const missing = coverage.expected.filter((id) => !coverage.reported.includes(id));
  const lacking = missing.filter((id) => !coverage.optional.includes(id));
  const lost = open.filter((each) => each.resolved !== true).reduce((sum, { severity }) => sum + weights[severity], 0);
  const failed = lacking.length > 0 || unresolved("P0") > 0 || unresolved("P1") > 0;
  return {
    findings: open,
    suppressed: [...input.suppressed],
    pre_existing: input.findings.filter((finding) => finding.pre_existing === true),
    verdict: failed ? "fail" : "pass",
    coverage: {
      expected: [...coverage.expected],
      reported: [...coverage.reported],
      missing,
      files: [...new Set(coverage.files)].toSorted(),
    },
    p0_unresolved: unresolved("P0"),
    p1_unresolved: unresolved("P1"),
    p2_unresolved: unresolved("P2"),
    p3_unresolved: unresolved("P3"),
    generation: input.generation,
    grade: Math.max(0, 100 - lost),
    routes: routeCounts(open),
    schema_version: "v1",
  };
}

function routeCounts(findings: readonly Finding[]): Record<Route, number> {
  const count = (route: Route) => findings.filter((finding) => finding.route === route).length;
  return Object.fromEntries(routes.map((route) => [route, count(route)])) as Record<Route, number>;
}
