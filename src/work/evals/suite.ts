import type { EvalSuiteV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Compiled, compileExpression } from "#core/expressions";
import { canonicalJson, err, type JsonObject, ok, type Result, sha256 } from "#core/values";

type SuiteCase = EvalSuiteV1["cases"][number];
type GraderSpec = NonNullable<EvalSuiteV1["graders"]>[number];
export type Grader =
  | Exclude<GraderSpec, { kind: "cel" }>
  | (Extract<GraderSpec, { kind: "cel" }> & { readonly compiled: Compiled });

/** A validated suite: expressions are planned, and each case has all its graders. */
export interface Suite extends Omit<EvalSuiteV1, "cases" | "graders"> {
  readonly hash: string;
  readonly cases: readonly PreparedCase[];
}

/** A case whose document was parsed, so its parts are JSON. */
export interface PreparedCase extends Omit<SuiteCase, "graders" | "input" | "work_order"> {
  readonly input: JsonObject;
  readonly work_order?: JsonObject;
  readonly asked: readonly Grader[];
}

/** What a grading expression may read. */
export const gradedNames: ReadonlySet<string> = new Set([
  "input",
  "output",
  "expected",
  "status",
  "tokens",
  "usd",
  "duration_ms",
  "verdict",
]);

/** Reports all errors of a suite at once, so that its author need not fix them one at a time. */
export function readSuite(value: unknown, schemas: Pick<SchemaRegistry, "validate" | "has">): Result<Suite> {
  const valid = schemas.validate("eval_suite_v1", value);
  if (!valid.ok) return valid;
  const { cases, graders: common = [], ...rest } = valid.value;
  const problems: string[] = [];
  const prepare = (grader: GraderSpec, where: string): Grader | undefined => {
    if (grader.kind === "schema" && !schemas.has(grader.schema))
      problems.push(`${where}: there is no schema ${grader.schema}`);
    if (grader.kind !== "cel") return grader;
    const compiled = compileExpression(grader.expression, gradedNames);
    if (compiled.ok) return { ...grader, compiled: compiled.value };
    problems.push(`${where}: ${compiled.error.message}`);
    return undefined;
  };
  const shared = common.map((grader) => prepare(grader, "graders")).filter((grader) => grader !== undefined);
  const seen = new Set<string>();
  const prepared = cases.map(({ graders = [], ...one }) => {
    if (seen.has(one.id)) problems.push(`the case ${one.id} is there twice`);
    seen.add(one.id);
    const own = graders.map((grader) => prepare(grader, `case ${one.id}`)).filter((grader) => grader !== undefined);
    const asked = [...shared, ...own];
    if (common.length + graders.length === 0)
      problems.push(`case ${one.id}: no grader grades it; give it or the suite one`);
    if (asked.some(({ kind }) => kind === "expected") && one.expected === undefined)
      problems.push(`case ${one.id}: the grader "expected" needs the case to say what it expects`);
    return { ...one, asked } as PreparedCase;
  });
  const things = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  if (problems.length > 0)
    return err(
      domainError("MALFORMED_INPUT", `the suite ${rest.id} cannot be run: ${things}`, { details: { problems } }),
    );
  return ok({ ...rest, cases: prepared, hash: sha256(canonicalJson(valid.value)) });
}
