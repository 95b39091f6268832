import { ok, type Result } from "#base";
import type { SchemaRegistry } from "#schemas";
import type { ToolRegistry } from "../registry.ts";
import type { BuiltinSpec } from "./builtin-spec.ts";
import { echo } from "./echo.ts";

/** Registers the tools that Writ ships. */
export function registerBuiltins(registry: ToolRegistry, schemas: SchemaRegistry): Result<void> {
  const builtins: readonly BuiltinSpec[] = [echo];
  for (const spec of builtins) {
    const schemaIn = schemas.schema(`${spec.name}.args_v1`);
    if (!schemaIn.ok) return schemaIn;
    const schemaOut = schemas.schema(`${spec.name}.result_v1`);
    if (!schemaOut.ok) return schemaOut;
    const registered = registry.register({
      ...spec,
      schema_in: schemaIn.value,
      schema_out: schemaOut.value,
      origin: "builtin",
    });
    if (!registered.ok) return registered;
  }
  return ok(undefined);
}
