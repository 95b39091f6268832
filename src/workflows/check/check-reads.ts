import type { SchemaRegistry } from "#core/contracts";
import type { Compiled, Read } from "#core/expressions";
import { missingIn, type Shape, shapeOfSchema, variables } from "#core/expressions";
import { suggest } from "#core/values";
import type { Cycle, Phase, Policy } from "../definitions/cycle.ts";
import type { Definition } from "../definitions/definition.ts";
import type { Problem } from "../definitions/problem.ts";
import { reviews } from "../policies/policy-kind.ts";
import { policyKinds } from "../policies/policy-kinds.ts";
import { reachableFrom } from "./ways.ts";

/** Signals and rules that read a field which nothing produces: they would be an error, and an error denies. */
export function checkReads(cycle: Cycle, schemas: SchemaRegistry): readonly Problem[] {
  const problems: Problem[] = [];
  const check = (owner: Definition, path: string, expression: Compiled | null, at: readonly Phase[]) => {
    const found = expression && firstMissing(expression, cycle, at, schemas);
    if (found)
      problems.push({
        file: owner.file,
        line: owner.lineOf(path),
        rule: "unproduced-field",
        message: found.message,
        hint: found.hint,
      });
  };
  const { definition, phases } = cycle;
  check(definition, "$.entry_condition", cycle.entryCondition, []);
  check(definition, "$.exit_conditions.done", cycle.done, phases);
  for (const phase of phases) {
    check(definition, "$.exit_conditions.abort", cycle.abort, [phase]);
    check(phase.definition, "$.advance_signal", phase.advance, [phase]);
    check(phase.definition, "$.halt_signal", phase.halt, [phase]);
    for (const policy of [...cycle.policies, ...phase.policies]) checkPolicy(policy, phase, check);
  }
  for (const [index, { from, when }] of cycle.transitions.entries())
    check(
      definition,
      `$.transitions[${index}].when`,
      when,
      phases.filter(({ id }) => id === from),
    );
  return unique(problems);
}

function checkPolicy(
  policy: Policy,
  phase: Phase,
  check: (owner: Definition, path: string, expression: Compiled | null, at: readonly Phase[]) => void,
): void {
  if (!policyKinds[policy.kind].check.isAskedIn(phase)) return;
  for (const [index, { when }] of policy.rules.entries())
    check(policy.definition, `$.rules[${index}].when`, when, [phase]);
}

type Missing = { readonly message: string; readonly hint: string };

function firstMissing(
  expression: Compiled,
  cycle: Cycle,
  at: readonly Phase[],
  schemas: SchemaRegistry,
): Missing | undefined {
  for (const read of expression.reads) {
    const why = missing(read, cycle, at, schemas);
    if (why) return why;
  }
  return undefined;
}

function missing(read: Read, cycle: Cycle, at: readonly Phase[], schemas: SchemaRegistry): Missing | undefined {
  const [root = "", ...rest] = read.path;
  const shown = read.path.join(".").replaceAll(".*", "[…]");
  if (root === "review_aggregate" || root === "findings") {
    const known = at.length === 0 || at.some((phase) => reviews(phase) || reviewedBefore(cycle, phase));
    if (!known)
      return {
        message: `${shown} is read in ${names(at)} of ${cycle.id}, and nobody reviews there or before`,
        hint: "let a reviewer be invoked before it is read",
      };
  }
  if (root === "approval" && at.length > 0 && !at.some(({ definition }) => definition.data.approval))
    return {
      message: `${shown} is read in ${names(at)}, which waits for no person`,
      hint: "give the phase an approval with its question",
    };
  const shape = shapeOfVariable(read, cycle, at, schemas);
  if (shape === null)
    return {
      message: `${shown} is read in ${names(at)}, where nobody makes it`,
      hint: "only personas that do not review make an output; a phase's is outputs.<phase>",
    };
  const path = root === "outputs" ? rest.slice(1) : rest;
  const lack = missingIn(shape, read.tested ? path.slice(0, -1) : path);
  if (!lack) return undefined;
  const name = path[lack.at] ?? "";
  const meant = suggest(name, lack.known);
  return {
    message: `nothing produces ${shown}`,
    hint:
      meant === undefined
        ? lack.known.length > 0
          ? `there are ${lack.known.join(", ")}`
          : "it has no fields"
        : `did you mean ${meant}?`,
  };
}

/** What is known of a variable in these phases; null when no persona makes it. */
function shapeOfVariable({ path }: Read, cycle: Cycle, at: readonly Phase[], schemas: SchemaRegistry): Shape | null {
  const [root = "", name] = path;
  const { input_schema } = cycle.definition.data;
  if (root === "input") return input_schema === undefined ? { kind: "any" } : shapeOfId(input_schema, schemas);
  if (root === "output") return at.map((phase) => outputShape(phase, schemas)).find((shape) => shape !== null) ?? null;
  if (root === "outputs") {
    if (name === undefined || name === "*") return { kind: "any" };
    const maker = cycle.phases.find(({ id }) => id === name);
    return maker ? outputShape(maker, schemas) : null;
  }
  return variables[root] ?? null;
}

function outputShape(phase: Phase, schemas: SchemaRegistry): Shape | null {
  const makers = phase.agents.filter(({ persona }) => !persona.definition.role.finds);
  const [first] = makers;
  if (!first) return null;
  const { output_schema } = phase.definition.data;
  const own = (id: string | undefined) => shapeOfId(id ?? "worker_report_v1", schemas);
  if (makers.length === 1) return own(output_schema ?? first.persona.definition.data.output_schema);
  return {
    kind: "fields",
    fields: Object.fromEntries(makers.map(({ persona }) => [persona.id, own(persona.definition.data.output_schema)])),
  };
}

function shapeOfId(id: string, schemas: SchemaRegistry): Shape {
  const schema = schemas.schema(id);
  return schema.ok ? shapeOfSchema(schema.value) : { kind: "any" };
}

function reviewedBefore(cycle: Cycle, phase: Phase): boolean {
  return cycle.phases.some((other) => reviews(other) && reachableFrom(cycle, other).has(phase));
}

function names(at: readonly Phase[]): string {
  return at.map(({ id }) => id).join(", ") || "the entry condition";
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  return [
    ...new Map(problems.map((problem) => [`${problem.file}:${problem.line}:${problem.message}`, problem])).values(),
  ];
}
