import type { JsonObject } from "#core/values";
import type { ToolRegistry } from "#effects";

/** The annotations of a tool that hooks get with a call; undefined when the tool is not registered here. */
export function annotationsOf(tools: ToolRegistry, name: string): JsonObject | undefined {
  const found = tools.list().find((tool) => tool.name === name);
  return found && (found.annotations as JsonObject);
}
