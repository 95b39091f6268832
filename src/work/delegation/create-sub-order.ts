import type { BudgetLimits } from "#agents";
import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import { toolNames } from "#governance/mandate";
import { covers } from "#people";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import { draftOrder } from "../orders/write-order.ts";
import type { SubTask } from "../strategies/step-strategy.ts";

/**
 * Derives a child's order from its parent's: scope, tools with their limits, approvals and budget are inherited, never
 * widened. HO2 hands down to HO1; below that an order hands down only as deep as it says itself (delegation.max_depth).
 */
export function createSubOrder(
  deps: Pick<FlowDependencies, "config" | "clock">,
  parent: ExecutionContext,
  task: SubTask,
  work_order_id: string,
): Result<WorkOrder> {
  if (!deps.config.v2_features.delegation_enabled)
    return err(
      domainError("FEATURE_DISABLED", "delegation is switched off (v2_features.delegation_enabled in writ.yaml)"),
    );
  const order = parent.work_order;
  const levels = order.delegation?.max_depth;
  if (parent.tier === "ho1" && levels === undefined)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        "an agent of the tier ho1 cannot delegate, unless its order says how deep (delegation.max_depth)",
      ),
    );
  if (levels === 0)
    return err(domainError("NOT_AUTHORIZED", "the order hands nothing down: its delegation.max_depth is 0"));
  const names = toolNames(order);
  const tools = task.tools ?? names;
  const widerTool = tools.find((tool) => !covers(names, tool));
  if (widerTool !== undefined) return err(tooWide(`the tool ${widerTool}`));
  const granted = order.scope.allowed_files ?? [];
  const files = task.allowed_files ?? granted;
  const widerFile = files.find((file) => !covers(granted, file));
  if (widerFile !== undefined) return err(tooWide(`the files ${widerFile}`));
  const readable = [...granted, ...(order.scope.read_files ?? [])];
  const reads = task.read_files ?? order.scope.read_files;
  const widerRead = reads?.find((file) => !covers(readable, file));
  if (widerRead !== undefined) return err(tooWide(`the files ${widerRead}`));
  const levelsBelow = levels === undefined ? 0 : Math.min(levels, deps.config.delegation.max_depth) - 1;
  const draft = draftOrder({
    type: task.type ?? "answer",
    spec_id: order.spec_id,
    framework_id: order.framework_id,
    agent_class: parent.agent_class as NonNullable<WorkOrder["agent_class"]>,
    input: { prompt: task.prompt },
    budget: { ...shareOf(parent.budget_limits, task.budget.token_limit), ...task.budget },
    parent_work_order_id: order.work_order_id,
    ...(order.profile === undefined ? {} : { profile: order.profile }),
    ...(order.approvals === undefined ? {} : { approvals: order.approvals }),
    ...(levels === undefined ? {} : { delegation: { ...order.delegation, max_depth: levelsBelow } }),
  });
  const { code_that_runs, ...held } = order.scope;
  const scope = {
    ...held,
    allowed_files: [...files],
    // A child that is given fewer files is not given the order's code that runs beside them.
    ...(code_that_runs === undefined || task.allowed_files !== undefined ? {} : { code_that_runs }),
    ...(reads === undefined ? {} : { read_files: [...reads] }),
  };
  // An order that hands nothing down is not given the tool for it.
  const usable = tools.filter((tool) => tool !== "delegate" || levelsBelow > 0);
  const tool_permissions = permissionsFor(order, usable);
  return ok({ ...draft, scope, tool_permissions, work_order_id, created_at: isoTime(deps.clock.now()) });
}

type Permission = NonNullable<WorkOrder["tool_permissions"]>[number];

/** The parent's permissions for these tools, each with the limits that the parent has on it. */
function permissionsFor({ tool_permissions = [] }: WorkOrder, tools: readonly string[]): Permission[] {
  return tools.flatMap((tool) =>
    tool_permissions
      .filter((each) => covers([typeof each === "string" ? each : each.tool], tool))
      .map((each) => (typeof each === "string" ? tool : { ...each, tool })),
  );
}

/** A child's default limits: the parent's timeout, and of its cost limit the same share as of the tokens. */
function shareOf(
  limits: BudgetLimits,
  token_limit: number,
): { readonly timeout_seconds: number; readonly usd_limit?: number } {
  const share = Math.min(1, token_limit / limits.token_limit);
  return {
    timeout_seconds: limits.timeout_seconds,
    ...(limits.usd_limit === undefined ? {} : { usd_limit: limits.usd_limit * share }),
  };
}

/** Combines the results of the child orders, in the order of their tasks. */
export function collectResults(results: readonly FlowResult[]): {
  readonly succeeded: number;
  readonly failed: number;
  readonly responses: readonly (string | null)[];
} {
  const succeeded = results.filter((result) => result.status === "success").length;
  return { succeeded, failed: results.length - succeeded, responses: results.map((result) => result.response) };
}

function tooWide(what: string) {
  return domainError("NOT_AUTHORIZED", `a child cannot be given ${what}: its parent does not have it`);
}
