import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import { domainError, err, ok, type Result } from "#base";
import { type SchemaTypes } from "./generated/types.ts";
import { shippedSchemas } from "./generated/tables.ts";
import { describeErrors } from "./violation.ts";

export type SchemaId = keyof SchemaTypes;

/** L7. Checks a value against a contract by id. An unknown id is an error, never a pass. */
export interface SchemaRegistry {
  ids(): readonly string[];
  has(id: string): boolean;
  /** The contract itself, for those who show or serve it. */
  schema(id: string): Result<object>;
  validate<K extends SchemaId>(id: K, value: unknown): Result<SchemaTypes[K]>;
  validate(id: string, value: unknown): Result<unknown>;
}

const require = createRequire(import.meta.url);

/** The contracts that Writ ships, compiled ahead; each is loaded when first asked for. */
export function shippedRegistry(): SchemaRegistry {
  return registry(new Map());
}

/** `extra` holds the workspace's own contracts, compiled. */
export function registry(extra: ReadonlyMap<string, { readonly schema: object; readonly validate: ValidateFunction }>): SchemaRegistry {
  const loaded = new Map<string, ValidateFunction>();
  const find = (id: string): ValidateFunction | undefined => {
    const known = loaded.get(id) ?? extra.get(id)?.validate;
    if (known) return known;
    if (!Object.hasOwn(shippedSchemas, id)) return undefined;
    const validate = require(`../../generated/validators/${id}.cjs`) as ValidateFunction;
    loaded.set(id, validate);
    return validate;
  };
  const has = (id: string) => Object.hasOwn(shippedSchemas, id) || extra.has(id);
  return {
    ids: () => [...Object.keys(shippedSchemas), ...extra.keys()].sort(),
    has,
    schema: (id) => {
      const own = extra.get(id)?.schema;
      if (own) return ok(own);
      const shipped = Object.hasOwn(shippedSchemas, id) ? shippedSchemas[id] : undefined;
      return shipped ? ok(require(`../../${shipped.file}`) as object) : err(notFound(id));
    },
    validate: (id: string, value: unknown): Result<never> => {
      const validate = find(id);
      if (!validate) return err(notFound(id));
      if (validate(value)) return ok(value as never);
      const violations = describeErrors(validate.errors ?? []);
      const [first] = violations;
      return err(
        domainError("SCHEMA_VIOLATION", `${id}: at ${first?.path} expected ${first?.expected}, found ${first?.found}`, {
          details: { schema_id: id, violations },
        }),
      );
    },
  };
}

function notFound(id: string) {
  return domainError("SCHEMA_NOT_FOUND", `no schema "${id}" is registered; \`writ schema list\` names those that are`, {
    details: { schema_id: id },
  });
}
