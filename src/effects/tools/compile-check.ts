import { compileSchema, type SchemaRegistry, type Validate } from "#core/contracts";
import { canonicalJson, ok, type Result } from "#core/values";

/** Checks one side of a tool's boundary. */
export type Check = Validate;

/** Compiling takes some 20 ms; a server that comes back brings the same schemas again. */
const compiled = new Map<string, Result<Check>>();
const maxCompiled = 500;

/**
 * Makes checks from the schemas of tools. A schema that Writ ships was compiled ahead and is recognised by being the very
 * object that the registry hands out (an id can be claimed by anyone); only other schemas load Ajv. Of those the copy is
 * compiled, the one that is hashed and shown.
 */
export function checkCompiler(schemas: SchemaRegistry): (given: object, copy: object, label: string) => Result<Check> {
  return (given, copy, label) => {
    const id = (copy as { $id?: unknown }).$id;
    if (typeof id === "string") {
      const shipped = schemas.schema(id);
      if (shipped.ok && shipped.value === given) return ok((value) => schemas.validate(id, value));
    }
    const key = `${label}\n${canonicalJson(copy)}`;
    const known = compiled.get(key);
    if (known) return known;
    const check = compileSchema(copy, { name: label });
    if (compiled.size >= maxCompiled) compiled.clear();
    compiled.set(key, check);
    return check;
  };
}
