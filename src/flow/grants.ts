import type { Framework, Grant } from "#governance";
import type { Skill } from "#skills";
import type { ExecutionContext } from "./flow.ts";

/** Who must grant a tool: the order, the framework where it narrows, the skill where there is one. */
export function grantsOfTools(
  context: ExecutionContext,
  { manifest }: Framework,
  skill: Skill | null,
): readonly Grant[] {
  return [
    { source: `work order ${context.work_order.work_order_id} (tool_permissions)`, patterns: context.tool_permissions },
    ...(manifest.tools === undefined
      ? []
      : [{ source: `framework ${manifest.framework_id} (tools)`, patterns: manifest.tools }]),
    ...(skill === null ? [] : [{ source: `skill ${skill.id} (allowed-tools)`, patterns: skill.allowedTools }]),
  ];
}

/** Who must grant a path before it may be written. */
export function grantsOfPaths(context: ExecutionContext): readonly Grant[] {
  return [
    {
      source: `work order ${context.work_order.work_order_id} (scope.allowed_files)`,
      patterns: context.work_order.scope.allowed_files,
    },
    { source: `framework ${context.framework_id} (path_authorizations)`, patterns: context.path_authorizations },
  ];
}
