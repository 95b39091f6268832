import type { Result } from "../values/result.ts";
import { compileSchema } from "./compile.ts";
import type { SchemaRegistry } from "./registry.ts";

/** Validates a value against a schema that a document names by id or contains. */
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
