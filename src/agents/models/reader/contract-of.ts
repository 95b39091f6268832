import { compileSchema, type SchemaRegistry } from "#core/contracts";
import { err, ok, type Result } from "#core/values";
import type { AnswerContract } from "./reader.ts";

const compiled = new WeakMap<object, AnswerContract["validate"]>();

/** A contract for the reader: by id from the registry, or a schema of its own under a name, compiled once. */
export function contractOf(schemas: SchemaRegistry, schema: string | object, name: string): Result<AnswerContract> {
  if (typeof schema === "string") {
    const found = schemas.schema(schema);
    if (!found.ok) return found;
    return ok({ id: schema, schema: found.value, validate: (value) => schemas.validate(schema, value) });
  }
  const known = compiled.get(schema);
  if (known) return ok({ id: name, schema, validate: known });
  const made = compileSchema(schema, { name });
  if (!made.ok) return err(made.error);
  compiled.set(schema, made.value);
  return ok({ id: name, schema, validate: made.value });
}
