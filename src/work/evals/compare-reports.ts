import type { EvalReportV1 } from "#core/contracts";

export type Regression = NonNullable<EvalReportV1["regressions"]>[number];

/** Cases that pass less often than in the baseline. A missing case counts, so that deleting a case does not pass it. */
export function compareReports(now: EvalReportV1, baseline: EvalReportV1): readonly Regression[] {
  const rates = new Map(now.cases.map(({ id, pass_rate }) => [id, pass_rate]));
  return baseline.cases.flatMap(({ id, pass_rate }): Regression[] => {
    const rate = rates.get(id);
    if (rate === undefined) return pass_rate > 0 ? [{ case: id, before: pass_rate, now: null }] : [];
    return rate < pass_rate ? [{ case: id, before: pass_rate, now: rate }] : [];
  });
}
