import type { WorkOrder } from "#core/contracts";
import { type Clock, isoTime, ok, type Result } from "#core/values";

/** An order before it has a number. */
export type UnnumberedOrder = Omit<WorkOrder, "work_order_id" | "created_at">;

/** The key names what is to be done, so that it is done once. */
export type KeyedOrder = UnnumberedOrder & { readonly idempotency_key: string };

/** What differs between the orders that Writ writes. An order touches no file and uses no tool unless it says so. */
export interface OrderParts extends Partial<Omit<UnnumberedOrder, "type" | "tool_permissions">> {
  readonly type: string;
  readonly input: NonNullable<WorkOrder["input"]>;
  readonly allowedFiles?: readonly string[];
  /** Files of the class code-that-runs that it may write. */
  readonly codeThatRuns?: readonly string[];
  /** What it may read besides what it may write. */
  readonly readFiles?: readonly string[];
  readonly tools?: readonly string[];
}

/** Where numbers and times of orders come from. */
export interface OrderNumbers {
  readonly clock: Clock;
  readonly nextOrderId: () => Promise<Result<string>>;
}

/** The one place that knows what an order of Writ's own looks like: its tier, specification and framework. */
export function draftOrder({
  type,
  input,
  allowedFiles = [],
  codeThatRuns = [],
  readFiles = [],
  tools = [],
  ...more
}: OrderParts): UnnumberedOrder {
  return {
    type,
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: {
      allowed_files: [...allowedFiles],
      ...(codeThatRuns.length > 0 ? { code_that_runs: [...codeThatRuns] } : {}),
      read_files: [...readFiles],
    },
    acceptance: { tests: [], checks: [] },
    input,
    tool_permissions: [...tools],
    schema_version: "v2",
    ...more,
  };
}

/** Gives an order its number and its time. Called last, so that no number is used up by an order that cannot be written. */
export async function numberOrder(order: UnnumberedOrder, numbers: OrderNumbers): Promise<Result<WorkOrder>> {
  const id = await numbers.nextOrderId();
  return id.ok ? ok({ work_order_id: id.value, ...order, created_at: isoTime(numbers.clock.now()) }) : id;
}

/** An order as it is handed to the flow. */
export function writeOrder(parts: OrderParts, numbers: OrderNumbers): Promise<Result<WorkOrder>> {
  return numberOrder(draftOrder(parts), numbers);
}
