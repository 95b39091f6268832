import type { Result } from "../values/result.ts";
import { compileSchema } from "./compile.ts";
import type { SchemaRegistry } from "./registry.ts";

/** A document names a schema by id or brings it along; either way the value must satisfy it. */
export function validateAgainst(
  schemas: SchemaRegistry,
  schema: string | object,
  name: string,
  value: unknown,
): Result<unknown> {
  if (typeof schema === "string") return schemas.validate(schema, value);
  const compiled = compileSchema(schema, { name });
  return compiled.ok ? compiled.value(value) : compiled;
}
