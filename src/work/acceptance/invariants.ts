import type { BudgetLimits } from "#agents";
import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Framework } from "#governance";
import type { FlowState } from "../flow/flow.ts";
import type { AcceptanceFacts } from "./facts.ts";
import type { GateResult } from "./try-criterion.ts";

type Invariant = Framework["invariants"][number];

/** The order as invariants see it: as it is written, with the limits that hold for it. */
export function orderFacts(order: FlowState["order"], budget: BudgetLimits): JsonObject {
  return JSON.parse(JSON.stringify({ ...order, budget })) as JsonObject;
}

/** Refuses an order that breaks what its framework says of orders, before it starts. */
export function checkOrderInvariants({ invariants, manifest }: Framework, order: JsonObject): Result<void> {
  for (const invariant of invariants) {
    if (invariant.over !== "order" || !isBinding(invariant)) continue;
    const broken = whyBroken(invariant, { order });
    if (broken === undefined) continue;
    const { level, statement, expression } = invariant;
    return err(
      domainError(
        "POLICY_DENIED",
        `the order breaks an invariant of ${manifest.framework_id}: ${level} ${statement} (${expression.text}: ${broken})`,
        { details: { framework_id: manifest.framework_id, statement, expression: expression.text } },
      ),
    );
  }
  return ok(undefined);
}

/** How every checked invariant went, among the criteria. One that only should hold passes, with a warning where it does not. */
export function tryInvariants(
  { invariants, manifest }: Framework,
  facts: { readonly order: JsonObject; readonly outcome: AcceptanceFacts },
): readonly GateResult[] {
  const results = invariants.map((invariant): GateResult => {
    const { level, statement } = invariant;
    const gate = `${manifest.framework_id} ${level}: ${statement}`;
    const broken = whyBroken(invariant, { order: facts.order, outcome: { ...facts.outcome } });
    if (broken === undefined) return { gate, passed: true };
    if (isBinding(invariant)) return { gate, passed: false, message: broken };
    return { gate, passed: true, message: `warning: ${broken}`, details: { warning: true } };
  });
  if (manifest.status !== "deprecated") return results;
  const message = `warning: ${manifest.framework_id} is deprecated`;
  return [...results, { gate: `${manifest.framework_id} status`, passed: true, message, details: { warning: true } }];
}

function isBinding({ level }: Invariant): boolean {
  return level === "MUST" || level === "MUST NOT";
}

/** An expression without a value holds nothing, so it counts as broken. */
function whyBroken({ level, expression }: Invariant, facts: JsonObject): string | undefined {
  const value = expression.evaluate(facts);
  if (!value.ok) return `it has no value: ${value.error.message}`;
  if (typeof value.value !== "boolean") return "it is neither true nor false";
  const wanted = level === "MUST" || level === "SHOULD";
  return value.value === wanted ? undefined : `it is ${value.value}`;
}
