import { createRequire } from "node:module";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { domainError, err, messageOf, ok, type Result } from "#base";
import { describeErrors, type SchemaRegistry } from "#schemas";

/** Checks one side of a tool's boundary. */
export type Check = (value: unknown) => Result<unknown>;

const require = createRequire(import.meta.url);

/**
 * Makes checks from the schemas of tools. A schema that Writ ships was compiled ahead and is recognised by being the very
 * object that the registry hands out (an id can be claimed by anyone); only other schemas load Ajv, which takes a
 * newcomer's first command some 60 ms.
 */
export function checkCompiler(schemas: SchemaRegistry): (given: object, copy: object, label: string) => Result<Check> {
  let ajv: Ajv2020 | undefined;
  return (given, copy, label) => {
    const id = (copy as { $id?: unknown }).$id;
    if (typeof id === "string") {
      const shipped = schemas.schema(id);
      if (shipped.ok && shipped.value === given) return ok((value) => schemas.validate(id, value));
    }
    ajv ??= createAjv();
    try {
      return ok(check(ajv.compile(copy), label));
    } catch (thrown) {
      return err(domainError("SCHEMA_INVALID", `${label} is not a JSON Schema (2020-12): ${messageOf(thrown)}`));
    }
  };
}

function check(validate: ValidateFunction, label: string): Check {
  return (value) => {
    if (validate(value)) return ok(value);
    const violations = describeErrors(validate.errors ?? []);
    const [first] = violations;
    return err(
      domainError(
        "SCHEMA_VIOLATION",
        `${label}: at ${first?.path} expected ${first?.expected}, found ${first?.found}`,
        {
          details: { schema_id: label, violations },
        },
      ),
    );
  };
}

function createAjv(): Ajv2020 {
  const { Ajv2020: Ajv } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  const addFormats = require("ajv-formats") as typeof import("ajv-formats").default;
  const ajv = new Ajv({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: false,
    ownProperties: true,
    verbose: true,
    // Two tools may carry the same $id; neither may speak for the other.
    addUsedSchema: false,
    logger: false,
    code: { regExp: linearRegExp },
  });
  addFormats(ajv);
  return ajv;
}

/** Patterns in a tool's schema come from outside: RE2 runs them in linear time, so none of them can hang the runtime. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const { RE2JS } = require("@bufbuild/re2") as typeof import("@bufbuild/re2");
    return RE2JS.compile(pattern);
  },
  { code: "re2" },
);
