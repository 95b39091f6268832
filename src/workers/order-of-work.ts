import type { JsonObject } from "#base";
import type { Lease } from "#kernel";
import type { OrderDraft } from "./ports.ts";

/** What every order for a work item has in common: whose it is, and that it may touch nothing unless it says so. */
export function orderOfWork(
  lease: Lease,
  order: { readonly type: string; readonly input: JsonObject; readonly tools: readonly string[] } & Partial<OrderDraft>,
): Omit<OrderDraft, "idempotency_key"> {
  const { type, input, tools, ...more } = order;
  return {
    type,
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    title: lease.objective.slice(0, 500),
    scope: { allowed_files: [] },
    acceptance: { tests: [], checks: [] },
    input,
    tool_permissions: [...tools],
    run_id: lease.run_id,
    work_id: lease.work_id,
    schema_version: "v1",
    ...more,
  };
}
