import type { MandateV1 } from "#core/contracts";
import { namesExplicitly } from "../paths/explicit-name.ts";
import { namedAsCode, patternMatcher } from "../paths/named-files.ts";
import { codeThatRuns, type RunningCode } from "../paths/protected-paths.ts";
import { clauseText, type Decision } from "./act.ts";
import { pathMatcher } from "./sources.ts";

/** Where an order lists patterns of this class: `scope.code_that_runs`. */
export const codeListPath = "scope.code_that_runs";

/** Decides about a file that runs by itself or instructs other agents; undefined for an ordinary one. */
export type DecideCode = (path: string, decision: Decision) => Decision | undefined;

/**
 * A file of the class is granted where the order names it exactly, or by a pattern of `scope.code_that_runs`. A wide pattern of
 * ordinary files does not name it: `**` means the project's texts and sources, not what runs on the next `npm install` or push.
 */
export function compileCodeRule({ code_that_runs: rule, write }: MandateV1): DecideCode {
  if (rule === undefined) return () => undefined; // a session from before the class goes on as it began
  const isNamed = patternMatcher(rule.names);
  const matchers = rule.patterns.map(pathMatcher);
  const own = write.find(({ document }) => document === rule.document);
  const lists = (own?.lists ?? []).filter(({ path }) => path !== rule.path);
  const codeOf = (path: string): RunningCode | undefined =>
    codeThatRuns(path) ?? (isNamed(path) ? { why: namedAsCode } : undefined);
  return (path, decision) => {
    const code = codeOf(path);
    if (code === undefined) return undefined;
    const granted = matchers.some((matches) => matches(path));
    const exact = lists.find(({ patterns }) => patterns.some((each) => namesExplicitly(each, path, code)));
    if (granted || exact) return { ...decision, code_that_runs: code.why };
    return {
      allowed: false,
      clauses: [{ document: rule.document, path: rule.path }],
      reason: `it is code that runs (${code.why}): ${clauseText(rule)} names ${rule.patterns.join(", ") || "none"}, and no other pattern names it exactly`,
    };
  };
}
