import type { JsonObject } from "#base";
import type { ToolRegistry } from "#tools";

/** What hooks are told of a tool besides the call; undefined when it is not known here. */
export function annotationsOf(tools: ToolRegistry, name: string): JsonObject | undefined {
  const found = tools.list().find((tool) => tool.name === name);
  return found && (found.annotations as JsonObject);
}
