import { draftOrder, type OrderParts, type UnnumberedOrder } from "#work";
import type { Lease } from "../kernel/records.ts";

/** The common part of every work order for a work item. It reads the workspace; what it writes its worker says. */
export function orderOfWork({ objective, run_id, work_id }: Lease, parts: OrderParts): UnnumberedOrder {
  return draftOrder({ title: objective.slice(0, 500), run_id, work_id, readFiles: ["**"], ...parts });
}
