import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { checkPatterns } from "#governance/mandate";
import type { SettledOrder } from "./settle-order.ts";

/**
 * Refuses an order that is handed in with a word that would hold nothing: a pattern that can name no file, a mode or a cycle
 * where no cycle is followed, an order above that did not hand it down. Orders below are written by Writ.
 */
export function checkStated(order: WorkOrder, { chosen, compiled }: SettledOrder): Result<void> {
  const patterns = checkPatterns(compiled.mandate.document);
  if (!patterns.ok) return patterns;
  for (const [path, why] of Object.entries(idleWords(order, chosen.strategy)))
    if (why !== undefined)
      return err(domainError("WORK_ORDER_INVALID", `${path} of the work order: ${why}`, { details: { path } }));
  return ok(undefined);
}

function idleWords(
  { cycle, mode, parent_work_order_id }: WorkOrder,
  strategy: string,
): Readonly<Record<"cycle" | "mode" | "parent_work_order_id", string | undefined>> {
  const isCycle = strategy === "cycle";
  // The lead of plan-work-review may name a cycle, which follows the mode; its worker writes without one.
  const takesMode = isCycle || (strategy === "plan-work-review" && mode !== "report-only");
  const carriedOut = `this order is carried out as ${strategy}`;
  return {
    cycle:
      cycle === undefined || isCycle ? undefined : `${cycle} is followed by orders of type cycle, and ${carriedOut}`,
    mode:
      mode === undefined || takesMode
        ? undefined
        : `${mode} holds where a cycle is followed, and ${carriedOut}; what it may write is said by scope.allowed_files`,
    parent_work_order_id:
      parent_work_order_id === undefined
        ? undefined
        : `${parent_work_order_id} did not hand it down; Writ says this of orders that another hands down, and of a turn that names its order by work_order_id`,
  };
}
