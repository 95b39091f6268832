import type { parse } from "@bufbuild/cel";

/** The parsed form of an expression. */
export type Expression = NonNullable<ReturnType<typeof parse>["expr"]>;

/** The direct subexpressions of an expression. */
export function partsOf({ exprKind }: Expression): readonly Expression[] {
  const present = (parts: readonly (Expression | undefined)[]) => parts.filter((part) => part !== undefined);
  switch (exprKind.case) {
    case "selectExpr":
      return present([exprKind.value.operand]);
    case "callExpr":
      return present([exprKind.value.target, ...exprKind.value.args]);
    case "listExpr":
      return exprKind.value.elements;
    case "structExpr":
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === "mapKey" ? keyKind.value : undefined,
          value,
        ]),
      );
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return present([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    case "constExpr":
    case "identExpr":
    case undefined:
      return [];
  }
}

/** `findings`, `review_aggregate.findings`: a chain of names from a variable; undefined for anything else. */
export function chainOf(expression: Expression): readonly string[] | undefined {
  const { exprKind } = expression;
  if (exprKind.case === "identExpr") return [exprKind.value.name];
  if (exprKind.case !== "selectExpr" || !exprKind.value.operand) return undefined;
  const before = chainOf(exprKind.value.operand);
  return before && [...before, exprKind.value.field];
}
