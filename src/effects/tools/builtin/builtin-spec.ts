import type { SchemaTypes } from "#core/contracts";
import type { JsonObject, JsonValue, Result } from "#core/values";
import type { Act } from "#governance/mandate";
import type { FileView } from "../../turns/layer/file-view.ts";
import type { ToolAnnotations, ToolContext, ToolSpec, Trust } from "../tool.ts";

/** Every built-in tool by its contract `schemas/<name>.args_v1.json`. */
export type BuiltinName = {
  [Id in keyof SchemaTypes]: Id extends `${infer Name}.args_v1` ? Name : never;
}[keyof SchemaTypes];

/**
 * Everything that is asked of a built-in tool. Its schemas follow from its name: `schemas/<name>.args_v1.json` and
 * `schemas/<name>.result_v1.json`.
 */
export interface BuiltinSpec<Name extends BuiltinName = BuiltinName> extends Pick<ToolSpec, OwnLimits> {
  readonly name: Name;
  readonly description: string;
  readonly annotations: ToolAnnotations & Required<Pick<ToolAnnotations, "readOnly" | "idempotent" | "openWorld">>;
  /** What its results are marked as: trusted only where Writ made every byte of them. */
  readonly trust: Trust;
  /** The acts of a call, as far as its arguments tell them: the mandate is asked about each. */
  acts(args: JsonObject): readonly Act[];
  invoke(args: JsonObject, context: ToolContext): Promise<Result<JsonValue>>;
}

/** Where the limits of every tool do not fit. */
type OwnLimits = "timeoutMs" | "maxOutputBytes" | "unavailable" | "staysOpen";

interface Builtin<Name extends BuiltinName> extends Omit<BuiltinSpec<Name>, "invoke" | "acts"> {
  acts(args: SchemaTypes[`${Name}.args_v1`]): readonly Act[];
  invoke(args: SchemaTypes[`${Name}.args_v1`], context: ToolContext): Promise<Result<JsonValue>>;
}

/** Past dispatch the arguments have the shape of their contract; this is where they get its type. */
export function builtin<Name extends BuiltinName>(spec: Builtin<Name>): BuiltinSpec<Name> {
  return {
    ...spec,
    acts: (args: JsonObject) => spec.acts(args as unknown as SchemaTypes[`${Name}.args_v1`]),
    invoke: (args: JsonObject, context) => spec.invoke(args as unknown as SchemaTypes[`${Name}.args_v1`], context),
  };
}

/** The workspace as a session sees it. */
export type ViewOf = (session_id: string) => FileView;
