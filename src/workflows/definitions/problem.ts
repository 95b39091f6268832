import { type DomainError, domainError } from "#core/errors";

/** One thing that is wrong with a definition: where, what, and the way out. */
export interface Problem {
  /** As people see it: `workflows/cycles/review.md`, `writ:workflows/phases/plan.md`. */
  readonly file: string;
  readonly line: number;
  /** Which rule it breaks, for programs: `inlined-persona`, `unknown-phase`. */
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

const mostShown = 20;

/** All problems at once, so that a person mends them in one go. */
export function problemsError(problems: readonly Problem[]): DomainError {
  const lines = problems
    .slice(0, mostShown)
    .map(({ file, line, message, hint }) => `${file}:${line}: ${message}; ${hint}`);
  const more = problems.length > mostShown ? [`and ${problems.length - mostShown} more`] : [];
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return domainError("WORKFLOW_INVALID", `the workflow definitions have ${count}:\n${[...lines, ...more].join("\n")}`, {
    details: { problems },
  });
}

/** For people who look at what there is: the files that are not a part of it. */
export function leftOut(problems: readonly Problem[]): readonly string[] {
  if (problems.length === 0) return [];
  const files = [...new Set(problems.map(({ file }) => file))];
  return ["", `left out: ${files.join(", ")}; \`writ workflow check\` says why`];
}

export function byPlace(a: Problem, b: Problem): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}
