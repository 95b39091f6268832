import type { SchemaRegistry, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Compiled, compileExpression, missingIn, type Shape } from "#core/expressions";
import { err, ok, type Result, suggest } from "#core/values";
import { shapeOfFacts } from "./facts.ts";

/** One criterion of an order: a program that has to end with status 0, or an expression that has to be true. */
export type Criterion = { readonly name: string } & (
  | { readonly kind: "command"; readonly command: readonly string[]; readonly timeout_seconds: number | undefined }
  | { readonly kind: "expression"; readonly expression: Compiled }
);

type Written = NonNullable<WorkOrder["acceptance"]["tests"]>[number];

/** The criteria of an order, each ready to be tried. A bad one is an error here, before a model is paid. */
export function criteriaOf({ acceptance }: WorkOrder, schemas: SchemaRegistry): Result<readonly Criterion[]> {
  const criteria: Criterion[] = [];
  for (const kind of ["tests", "checks"] as const) {
    for (const [index, written] of (acceptance[kind] ?? []).entries()) {
      const where = `acceptance.${kind}[${index}]`;
      const criterion = criterionOf(written, where, schemas);
      if (!criterion.ok)
        return err(
          domainError("WORK_ORDER_INVALID", `${where} of the work order: ${criterion.error.message}`, {
            details: { ...criterion.error.details, where },
          }),
        );
      criteria.push(criterion.value);
    }
  }
  return ok(criteria);
}

function criterionOf(written: Written, where: string, schemas: SchemaRegistry): Result<Criterion> {
  if (typeof written === "string") return command(written, where, undefined);
  const name = written.name ?? where;
  const expression = "expression" in written ? written.expression : undefined;
  if ((expression === undefined) === (written.command === undefined))
    return err(domainError("WORK_ORDER_INVALID", "a criterion has either a command or an expression"));
  if (expression === undefined) return command(written.command ?? [], name, written.timeout_seconds);
  if (written.timeout_seconds !== undefined)
    return err(domainError("WORK_ORDER_INVALID", "an expression takes no time: timeout_seconds belongs to a command"));
  const compiled = compileOver(expression, shapeOfFacts(schemas));
  return compiled.ok ? ok({ name, kind: "expression", expression: compiled.value }) : compiled;
}

/** Text is split at blanks, never given to a shell. */
function command(
  text: string | readonly string[],
  name: string,
  timeout_seconds: number | undefined,
): Result<Criterion> {
  const words = typeof text === "string" ? text.split(/\s+/).filter((word) => word !== "") : text;
  if (words.length === 0) return err(domainError("WORK_ORDER_INVALID", "its command names no program"));
  return ok({ name, kind: "command", command: words, timeout_seconds });
}

const namesOf = new WeakMap<Shape, ReadonlySet<string>>();

/** Compiles an expression and compares each field that it reads with those that the facts have. */
function compileOver(text: string, facts: Shape): Result<Compiled> {
  const names = namesOf.get(facts) ?? new Set(facts.kind === "fields" ? Object.keys(facts.fields) : []);
  namesOf.set(facts, names);
  const compiled = compileExpression(text, names);
  if (!compiled.ok) return compiled;
  for (const { path } of compiled.value.reads) {
    const missing = missingIn(facts, path);
    if (!missing) continue;
    const asked = path[missing.at] ?? "";
    const meant = suggest(asked, missing.known);
    const known = meant === undefined ? ` (there are ${missing.known.join(", ")})` : `; did you mean ${meant}?`;
    return err(
      domainError("WORK_ORDER_INVALID", `the facts have no ${path.slice(0, missing.at + 1).join(".")}${known}`),
    );
  }
  return compiled;
}
