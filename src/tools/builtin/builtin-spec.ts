import type { JsonObject, JsonValue, Result } from "#base";
import type { SchemaTypes } from "#schemas";
import type { ToolContext, ToolSpec } from "../tool.ts";

/** A built-in tool names no schema: its contracts are `schemas/<name>.args_v1.json` and `schemas/<name>.result_v1.json`. */
export type BuiltinSpec = Omit<ToolSpec, "schema_in" | "schema_out" | "origin">;

type BuiltinName = { [Id in keyof SchemaTypes]: Id extends `${infer Name}.args_v1` ? Name : never }[keyof SchemaTypes];

interface Builtin<Name extends BuiltinName> extends Omit<BuiltinSpec, "name" | "invoke"> {
  readonly name: Name;
  invoke(args: SchemaTypes[`${Name}.args_v1`], context: ToolContext): Promise<Result<JsonValue>>;
}

/** Past dispatch the arguments have the shape of their contract; this is where they get its type. */
export function builtin<Name extends BuiltinName>(spec: Builtin<Name>): BuiltinSpec {
  return {
    ...spec,
    invoke: (args: JsonObject, context) => spec.invoke(args as unknown as SchemaTypes[`${Name}.args_v1`], context),
  };
}
