import type { JsonObject, JsonValue, Result } from "#base";
import type { ToolContext, ToolSpec } from "../tool.ts";

/** A built-in tool names no schema: its contracts are `schemas/<name>.args_v1.json` and `schemas/<name>.result_v1.json`. */
export type BuiltinSpec = Omit<ToolSpec, "schema_in" | "schema_out" | "origin">;

/** Past dispatch the arguments have the shape of their contract; this is where they get its type. */
export function typedInvoke<Args>(
  invoke: (args: Args, context: ToolContext) => Promise<Result<JsonValue>>,
): (args: JsonObject, context: ToolContext) => Promise<Result<JsonValue>> {
  return (args, context) => invoke(args as unknown as Args, context);
}
