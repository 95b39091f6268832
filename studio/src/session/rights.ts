import type { WorkOrderV1 } from "../../../src/core/contracts/generated/types.ts";
import type { Opening } from "./opening.ts";

/** What the order may do and spend, as the session began with it; null before its order was taken up. */
export interface Rights {
  readonly tools: readonly string[];
  readonly writes: readonly string[];
  readonly usdLimit: number | null;
}

export function rightsIn({ first }: Pick<Opening, "first">): Rights | null {
  const payload = first.find((event) => event.type === "wo.started")?.payload;
  if (!payload) return null;
  const { scope } = payload.work_order as Partial<WorkOrderV1>;
  const limit: unknown = payload.budget_scope?.["usd_limit"];
  return {
    tools: payload.tool_permissions ?? [],
    writes: scope?.allowed_files ?? [],
    usdLimit: typeof limit === "number" ? limit : null,
  };
}
