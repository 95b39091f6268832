import type { Skill } from "#agents";
import type { Framework, Grant } from "#governance";
import type { ExecutionContext } from "./execution-context.ts";

/** The part of an execution context that decides rights; an order that is only explained has no more. */
export type OrderRights = Pick<
  ExecutionContext,
  "work_order" | "tool_permissions" | "framework_id" | "path_authorizations"
>;

/** The grants of which each must allow a tool: the order, the framework if it narrows, the skill if there is one. */
export function grantsOfTools(context: OrderRights, { manifest }: Framework, skill: Skill | null): readonly Grant[] {
  const { work_order_id, type } = context.work_order;
  return [
    { source: `work order ${work_order_id} (tool_permissions)`, patterns: context.tool_permissions },
    ...(manifest.tools === undefined
      ? []
      : [{ source: `framework ${manifest.framework_id} (tools)`, patterns: manifest.tools }]),
    ...(skill === null
      ? withoutSkill(type)
      : [{ source: `skill ${skill.id} (allowed-tools)`, patterns: skill.allowedTools }]),
  ];
}

/** An order of the roles gets its tools from a skill; without one it gets none. A single step gets those of its order. */
function withoutSkill(type: string): readonly Grant[] {
  return type === "plan-work-review" ? [{ source: "a skill (none was chosen)", patterns: undefined }] : [];
}

/** The grants of which each must allow a path to write. */
export function grantsOfPaths(context: OrderRights): readonly Grant[] {
  return [
    {
      source: `work order ${context.work_order.work_order_id} (scope.allowed_files)`,
      patterns: context.work_order.scope.allowed_files,
    },
    { source: `framework ${context.framework_id} (path_authorizations)`, patterns: context.path_authorizations },
  ];
}
