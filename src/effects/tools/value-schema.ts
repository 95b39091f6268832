import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";

/** A JSON Schema, as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * How a program states the form of a value: a schema of any library that follows Standard Schema (zod, valibot, arktype), or a
 * JSON Schema. Models and the record get the JSON Schema; the library checks and converts what reaches the program's own code.
 */
export type ValueSchema = StandardSchemaV1 | JsonSchema;

/** The value that code gets for which this schema stands: checked, with defaults and conversions applied. */
export type InputOf<S extends ValueSchema> = S extends StandardSchemaV1<unknown, infer Value> ? Value : JsonObject;

/** The value that such code answers with, before the schema checks it. */
export type AnswerOf<S extends ValueSchema> = S extends StandardSchemaV1<infer Value> ? Value : unknown;

/** The schema as JSON Schema: of what goes in, or of what comes out once defaults and conversions were applied. */
export function jsonSchemaOf(schema: ValueSchema, side: "input" | "output"): Result<object> {
  if (!isStandard(schema)) return ok(schema);
  const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema["~standard"];
  if (standard.jsonSchema === undefined) return err(noJsonSchema(standard.vendor));
  try {
    return ok(standard.jsonSchema[side]({ target: "draft-2020-12" }));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return err(
      domainError("CONFIG_INVALID", `a schema of ${standard.vendor} cannot be said as JSON Schema: ${why}`, {
        details: {
          hint: "leave out what JSON cannot hold (dates, functions, transforms of the output), or give JSON Schema",
        },
        cause: thrown,
      }),
    );
  }
}

/** Checks and converts a value with the schema's own library. A JSON Schema was checked where the value came in. */
export async function parseValue(schema: ValueSchema, value: unknown): Promise<Result<unknown>> {
  if (!isStandard(schema)) return ok(value);
  const parsed = await schema["~standard"].validate(value);
  if (parsed.issues === undefined) return ok(parsed.value);
  const [first] = parsed.issues;
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return err(
    domainError("SCHEMA_VIOLATION", `${path === "" ? "the value" : path}: ${first?.message ?? "is not accepted"}`, {
      details: { violations: parsed.issues.length },
    }),
  );
}

function isStandard(schema: ValueSchema): schema is StandardSchemaV1 {
  return "~standard" in schema;
}

function noJsonSchema(vendor: string) {
  return domainError("CONFIG_INVALID", `this version of ${vendor} does not say its schemas as JSON Schema`, {
    details: {
      hint: "zod from 4.2 and arktype from 2.1.28 do; of valibot wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema; or give JSON Schema",
    },
  });
}
