import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import { type DomainError, domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "../values/result.ts";
import { suggest } from "../values/suggest.ts";
import { applyValidator, type Validate } from "./compile.ts";
import { shippedSchemas, validatorFiles } from "./generated/tables.ts";
import type { SchemaTypes } from "./generated/types.ts";
import type { ShippedSchema } from "./shipped.ts";

export type SchemaId = keyof SchemaTypes;

/** What `writ schema list` shows. */
export interface SchemaInfo extends ShippedSchema {
  readonly id: string;
  readonly origin: "shipped" | "workspace";
}

/** L7. Checks a value against a contract by id. An unknown id is an error, never a pass. */
export interface SchemaRegistry {
  ids(): readonly string[];
  has(id: string): boolean;
  describe(id: string): Result<SchemaInfo>;
  /** The contract itself, to show or serve it. */
  schema(id: string): Result<object>;
  validate<K extends SchemaId>(id: K, value: unknown): Result<SchemaTypes[K]>;
  validate(id: string, value: unknown): Result<unknown>;
}

/** A contract of the workspace, compiled. */
export interface OwnSchema {
  readonly info: SchemaInfo;
  readonly schema: object;
  readonly validate: Validate;
}

const require = createRequire(import.meta.url);
// Validators are pure, so all registries of a process share them. The first to load takes 2.5 ms (with Ajv's runtime),
// later ones 0.4 to 2; loading all of them would add more than 50 ms to every start of the command line.
const loaded = new Map<string, Validate>();

/** The contracts that Writ ships, compiled ahead of time; each is loaded on first use. */
export function shippedRegistry(): SchemaRegistry {
  return createRegistry(new Map());
}

export function createRegistry(own: ReadonlyMap<string, OwnSchema>): SchemaRegistry {
  const ids = [...Object.keys(shippedSchemas), ...own.keys()].toSorted();
  const has = (id: string) => isShipped(id) || own.has(id);
  const notFound = (id: string): DomainError => {
    const meant = has(`${id}_v1`) ? `${id}_v1` : suggest(id, ids);
    const hint = meant === undefined ? "`writ schema list` names those that are" : `did you mean "${meant}"?`;
    return domainError("SCHEMA_NOT_FOUND", `no schema "${id}" is registered; ${hint}`, {
      details: { schema_id: id, ...(meant === undefined ? {} : { did_you_mean: meant }) },
    });
  };
  return {
    ids: () => ids,
    has,
    describe: (id) => {
      const shipped = isShipped(id) ? shippedSchemas[id] : undefined;
      if (shipped) return ok({ id, origin: "shipped", ...shipped });
      const info = own.get(id)?.info;
      return info ? ok(info) : err(notFound(id));
    },
    schema: (id) => {
      if (isShipped(id)) return ok(shippedSchema(id));
      const schema = own.get(id)?.schema;
      return schema ? ok(schema) : err(notFound(id));
    },
    validate: (id: string, value: unknown): Result<never> => {
      const validate = shippedValidator(id) ?? own.get(id)?.validate;
      if (!validate) return err(notFound(id));
      return validate(value) as Result<never>;
    },
  };
}

export function isShipped(id: string): boolean {
  return Object.hasOwn(shippedSchemas, id);
}

/** A shipped contract as its file has it. */
export function shippedSchema(id: string): object {
  return require(`../../../${shippedSchemas[id]?.file}`) as object;
}

/** Looks into the cache first: every event passes here. */
function shippedValidator(id: string): Validate | undefined {
  const known = loaded.get(id);
  if (known || !isShipped(id)) return known;
  const file = `../../../generated/validators/${validatorFiles[id] ?? id}.cjs`;
  const generated = (require(file) as Readonly<Record<string, ValidateFunction>>)[id];
  if (!generated) throw new Error(`${file} holds no validator of ${id}`);
  const validate: Validate = (value) => applyValidator(id, generated, value);
  loaded.set(id, validate);
  return validate;
}
