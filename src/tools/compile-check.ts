import { ok, type Result } from "#base";
import { compileSchema, type SchemaRegistry, type Validate } from "#schemas";

/** Checks one side of a tool's boundary. */
export type Check = Validate;

/**
 * Makes checks from the schemas of tools. A schema that Writ ships was compiled ahead and is recognised by being the very
 * object that the registry hands out (an id can be claimed by anyone); only other schemas load Ajv.
 */
export function checkCompiler(schemas: SchemaRegistry): (schema: object, label: string) => Result<Check> {
  return (schema, label) => {
    const id = (schema as { $id?: unknown }).$id;
    if (typeof id === "string") {
      const shipped = schemas.schema(id);
      if (shipped.ok && shipped.value === schema) return ok((value) => schemas.validate(id, value));
    }
    return compileSchema(schema, { name: label });
  };
}
