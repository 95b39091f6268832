import type { JsonObject } from "#core/values";
import type { ToolRegistry } from "#effects";

/** What hooks are told of a tool besides the call; undefined when it is not known here. */
export function annotationsOf(tools: ToolRegistry, name: string): JsonObject | undefined {
  const found = tools.list().find((tool) => tool.name === name);
  return found && (found.annotations as JsonObject);
}
