import { isJsonObject, type JsonObject, type JsonValue } from "../values/json.ts";
import { chainOf, type Expression, partsOf } from "./tree.ts";

/**
 * The number of iterations that the comprehensions of an expression would take over these facts, computed beforehand.
 * `filter` and `map` append to their lists item by item, which costs the library the square of the length.
 */
export function roundsOf(expression: Expression, facts: JsonObject): number {
  return rounds(expression, facts);
}

function rounds(expression: Expression, facts: JsonObject): number {
  const { exprKind } = expression;
  const parts = partsOf(expression);
  if (exprKind.case !== "comprehensionExpr") return sum(parts, facts);
  const { iterRange, accuInit } = exprKind.value;
  const size = iterRange ? sizeOf(iterRange, facts) : 0;
  const builds = accuInit?.exprKind.case === "listExpr" ? (size * size) / 40 : 0;
  const inner = sum(
    parts.filter((part) => part !== iterRange),
    facts,
  );
  return (iterRange ? rounds(iterRange, facts) : 0) + builds + size * (1 + inner);
}

function sum(parts: readonly Expression[], facts: JsonObject): number {
  return parts.reduce((total, part) => total + rounds(part, facts), 0);
}

/**
 * The size of the list that is iterated; where it is not known beforehand, the size of the largest list in the facts.
 */
function sizeOf(range: Expression, facts: JsonObject): number {
  if (range.exprKind.case === "listExpr") return range.exprKind.value.elements.length;
  const chain = chainOf(range);
  let value: JsonValue | undefined = facts;
  for (const name of chain ?? []) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (chain && value !== undefined && value !== facts) return countOf(value);
  return largest(facts);
}

function countOf(value: JsonValue): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

const measured = new WeakMap<object, number>();

function largest(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const known = measured.get(value);
  if (known !== undefined) return known;
  let most = countOf(value);
  for (const part of Object.values(value)) most = Math.max(most, largest(part));
  measured.set(value, most);
  return most;
}
