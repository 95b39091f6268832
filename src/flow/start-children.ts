import { domainError, err, ok, type Result, sha256 } from "#base";
import type { WorkOrderV1 } from "#schemas";
import { createSubOrder } from "./delegation.ts";
import type { ExecutionContext, FlowResult } from "./execution-context.ts";
import type { FlowDependencies, FlowState } from "./flow.ts";
import { toolPermissions } from "./steps/4-create-context.ts";
import type { SubTask } from "./strategies/step-strategy.ts";

/** Hands tasks down to agents of HO1, all at once, and waits for every one of them. Orders are made first: if one cannot be, none starts. */
export async function startChildren(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  tasks: readonly SubTask[],
): Promise<Result<readonly FlowResult[]>> {
  const { max_depth, max_fan_out } = deps.config.delegation;
  const depth = (state.parent?.depth ?? 0) + 1;
  if (depth > max_depth)
    return err(
      domainError("GATE_DENIED", `delegation is ${depth} deep, at most ${max_depth} is allowed (delegation.max_depth)`),
    );
  if (tasks.length > max_fan_out)
    return err(
      domainError(
        "GATE_DENIED",
        `${tasks.length} tasks at once, at most ${max_fan_out} are allowed (delegation.max_fan_out)`,
      ),
    );
  const orders: WorkOrderV1[] = [];
  for (const task of tasks) {
    const id = await deps.nextOrderId();
    if (!id.ok) return id;
    const order = createSubOrder(deps, context, task, id.value);
    if (!order.ok) return order;
    orders.push(order.value);
  }
  for (const order of orders) {
    const recorded = await state.session.append({
      type: "delegation.made",
      actor: "flow",
      payload: {
        child_work_order_id: order.work_order_id,
        parent_work_order_id: context.work_order.work_order_id,
        budget: order.budget ?? {},
        tools: [...toolPermissions(order)],
        allowed_files: [...(order.scope.allowed_files ?? [])],
      },
    });
    if (!recorded.ok) return recorded;
    state.children.push(order.work_order_id);
  }
  const parent = { session_id: context.session_id, budget: context.budget_scope, depth };
  const request = { caller_id: context.agent_id, ...(context.dev_mode ? { dev_mode: true } : {}) };
  const results = await Promise.all(
    orders.map((order) =>
      state.run({ ...request, work_order: { ...order } }, { fresh: true, parent, signal: state.signal }),
    ),
  );
  for (const result of results) {
    const recorded = state.session.stage({
      type: "delegation.ended",
      actor: "flow",
      payload: {
        child_work_order_id: result.work_order_id ?? "unknown",
        child_session_id: result.session_id ?? null,
        status: result.status,
        error_code: result.error_code ?? null,
        ...(result.response === null ? {} : { response_hash: sha256(result.response) }),
      },
    });
    if (!recorded.ok) return recorded;
  }
  return ok(results);
}
