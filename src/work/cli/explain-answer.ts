import { type Answer, exitStatus } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { OrderExplanation } from "../flow/explain-order.ts";
import type { FlowRequest } from "../flow/flow.ts";

export interface ExplainParts {
  readonly caller: string;
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
}

/** What an order would be allowed, without acting. An order that Writ wrote itself is shown too. */
export async function explainAnswer(
  orders: ExplainParts,
  work_order: FlowRequest["work_order"],
  written: "by Writ" | "by its author",
): Promise<Result<Answer>> {
  const explained = await orders.explainOrder({ work_order, caller_id: orders.caller });
  if (!explained.ok) return explained;
  const { renderOrder } = await import("../story/render-order.ts");
  const { stringify } = await import("yaml");
  const granted = explained.value.authorization.needs.every((need) => need.granted);
  const shown = written === "by Writ" ? `${stringify(work_order)}\n` : "";
  return ok({
    json: { ...explained.value, granted, ...(written === "by Writ" ? { work_order } : {}) },
    text: (screen) => `${shown}${renderOrder(explained.value, screen)}`,
    exit: granted ? exitStatus.done : exitStatus.refused,
  });
}
