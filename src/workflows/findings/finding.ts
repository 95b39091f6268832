import type { FindingV1, ReviewFindingsV1 } from "#core/contracts";

export type Finding = FindingV1;
export type Severity = FindingV1["severity"];
export type AutofixClass = FindingV1["autofix_class"];
export type Route = NonNullable<FindingV1["route"]>;
type Said = ReviewFindingsV1["findings"][number];

/** From the mildest to the gravest. */
export const severities: readonly Severity[] = ["P3", "P2", "P1", "P0"];
/** From the boldest to the most conservative: seed 002's order. */
export const autofixClasses: readonly AutofixClass[] = ["safe_auto", "gated_auto", "manual", "advisory"];
export const routes: readonly Route[] = ["apply", "gated", "manual", "advisory"];
export const confidences: readonly FindingV1["confidence"][] = [0, 25, 50, 75, 100];

const labels: Readonly<Record<Said["severity"], Severity>> = {
  P0: "P0",
  P1: "P1",
  P2: "P2",
  P3: "P3",
  critical: "P0",
  major: "P1",
  minor: "P2",
  info: "P3",
};

export function severityOf(label: Said["severity"]): Severity {
  return labels[label];
}

/** The later one in an order that goes from bold to conservative. */
export function moreConservative<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) >= order.indexOf(b) ? a : b;
}
