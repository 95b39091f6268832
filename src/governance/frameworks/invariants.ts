import type { FrameworkManifest, SchemaRegistry } from "#core/contracts";
import { type Compiled, compileExpression, missingIn, type Shape, shapeOfSchema } from "#core/expressions";
import { err, ok, type Result } from "#core/values";

/** An invariant that is checked: over the order before it starts, or over its outcome before that is accepted. */
export interface CheckedInvariant {
  readonly level: "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT";
  readonly statement: string;
  readonly expression: Compiled;
  readonly over: "order" | "outcome";
}

/** `order` is the work order with the limits that hold for it, `outcome` what acceptance judges. */
const names: ReadonlySet<string> = new Set(["order", "outcome"]);

/** Compiles the invariants that have an expression; the first that cannot be judged is an error. */
export function checkedInvariants(
  { invariants = [] }: FrameworkManifest,
  schemas: SchemaRegistry,
): Result<readonly CheckedInvariant[], string> {
  const checked: CheckedInvariant[] = [];
  for (const [index, { level, statement, expression }] of invariants.entries()) {
    if (expression === undefined) continue;
    const where = `invariants[${index}]`;
    if (level === "MAY") return err(`${where}: MAY permits, so an expression cannot break it`);
    const compiled = compileExpression(expression, names);
    if (!compiled.ok) return err(`${where}: ${compiled.error.message}`);
    const { reads } = compiled.value;
    const shape = outcomeShape(schemas);
    for (const { path } of reads.filter(({ path: [root] }) => root === "outcome")) {
      const missing = missingIn(shape, path.slice(1));
      if (missing)
        return err(`${where}: an outcome has no ${path.slice(1).join(".")}; there are ${missing.known.join(", ")}`);
    }
    const over = reads.some(({ path: [root] }) => root === "outcome") ? "outcome" : "order";
    checked.push({ level, statement, expression: compiled.value, over });
  }
  return ok(checked);
}

/** What a framework says about how its orders are carried out. */
export interface FrameworkStrategy {
  readonly default?: string;
  /** Over `order`. */
  readonly reviewWhen?: Compiled;
}

/** Compiles `strategy`; an expression that cannot be judged is an error. */
export function strategyRule({ strategy }: FrameworkManifest): Result<FrameworkStrategy, string> {
  if (!strategy) return ok({});
  const { default: type, review_when } = strategy;
  const own = type === undefined ? {} : { default: type };
  if (review_when === undefined) return ok(own);
  const compiled = compileExpression(review_when, new Set(["order"]));
  return compiled.ok
    ? ok({ ...own, reviewWhen: compiled.value })
    : err(`strategy.review_when: ${compiled.error.message}`);
}

function outcomeShape(schemas: SchemaRegistry): Shape {
  const schema = schemas.schema("acceptance_facts_v1");
  return schema.ok ? shapeOfSchema(schema.value) : { kind: "any" };
}

/**
 * Invariants without an expression, as instructions to the agents. Those of the kernel's own frameworks (v1) are about the
 * runtime, which keeps them itself.
 */
export function instructionsOf({ invariants = [], ring, schema_version }: FrameworkManifest): readonly string[] {
  if (ring === "kernel" && schema_version !== "v2") return [];
  return invariants
    .filter(({ expression }) => expression === undefined)
    .map((each) => `${each.level}: ${each.statement}`);
}
