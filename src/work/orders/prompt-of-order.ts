import type { WorkOrder } from "#core/contracts";

/** The words of the request; empty where the order has none. */
export function promptOfOrder({ input }: Pick<WorkOrder, "input">): string {
  return typeof input?.prompt === "string" ? input.prompt : "";
}
