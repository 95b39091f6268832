import type { WorkOrder } from "#core/contracts";

/** One link of an order's authorization chain: who hands which rights to whom, for which order or range. */
export type Link = NonNullable<WorkOrder["authorization"]>["chain"][number];
