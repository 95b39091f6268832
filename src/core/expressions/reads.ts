import { chainOf, type Expression, partsOf } from "./tree.ts";

/** A field that an expression reads: `["review_aggregate", "p0_unresolved"]`; `*` stands for any item of a list or map. */
export interface Read {
  readonly path: readonly string[];
  /** Read with `has()`: its absence is no error. */
  readonly tested: boolean;
}

/** Every chain of fields that an expression reads from its variables, loop variables replaced by what they run over. */
export function readsOf(expression: Expression): readonly Read[] {
  const reads: Read[] = [];
  walk(expression, new Map(), reads);
  return reads;
}

type Scope = ReadonlyMap<string, readonly string[] | null>;

function walk(expression: Expression, scope: Scope, reads: Read[]): void {
  const { exprKind } = expression;
  if (exprKind.case === "comprehensionExpr") {
    const { iterRange, iterVar, iterVar2, accuVar } = exprKind.value;
    if (iterRange) walk(iterRange, scope, reads);
    const over = iterRange ? pathOf(iterRange, scope) : undefined;
    const inside = new Map(scope);
    inside.set(iterVar, over ? [...over, "*"] : null);
    if (iterVar2 !== "") inside.set(iterVar2, null);
    inside.set(accuVar, null);
    for (const part of partsOf(expression)) if (part !== iterRange) walk(part, inside, reads);
    return;
  }
  const path = pathOf(expression, scope);
  if (path) {
    const tested = exprKind.case === "selectExpr" && exprKind.value.testOnly;
    reads.push({ path, tested });
    return;
  }
  for (const part of partsOf(expression)) walk(part, scope, reads);
}

function pathOf(expression: Expression, scope: Scope): readonly string[] | undefined {
  const chain = chainOf(expression);
  const [root] = chain ?? [];
  if (!chain || root === undefined) return undefined;
  if (!scope.has(root)) return chain;
  const bound = scope.get(root);
  return bound ? [...bound, ...chain.slice(1)] : undefined;
}
