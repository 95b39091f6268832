/** Suites of cases, run through flows and graded. Knows no model and no file: who runs flows and commands is handed in. */
export { compareReports } from "./compare-reports.ts";
export type { EvalPorts } from "./ports.ts";
export { rehearseGrade } from "./rehearse-grade.ts";
export { type RunOptions, runSuite } from "./run-suite.ts";
export { readSuite, type Suite } from "./suite.ts";
