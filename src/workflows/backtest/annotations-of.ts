import type { JsonObject } from "#core/values";
import { natureOf, type ToolRegistry } from "#effects";
import type { ToolNature } from "#governance/values";

/** The annotations of a tool that hooks get with a call; undefined when the tool is not registered here. */
export function annotationsOf(tools: ToolRegistry, name: string): JsonObject | undefined {
  const found = tools.list().find((tool) => tool.name === name);
  return found && (found.annotations as JsonObject);
}

/** What the rules over values know of a tool; of one that is not registered here, nothing, which is the stricter. */
export function natureIn(tools: ToolRegistry, name: string, args: JsonObject): ToolNature {
  const found = tools.find(name)?.tool;
  return found ? natureOf(found, args) : {};
}
