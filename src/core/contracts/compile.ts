import { createRequire } from "node:module";
import type { Ajv, Options, SchemaValidateFunction, ValidateFunction } from "ajv";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { compilePattern } from "../values/pattern.ts";
import { err, ok, type Result } from "../values/result.ts";
import { counting, firstRepeated, Steps, TooManySteps, whyTooLarge } from "./bounded.ts";
import { violationError } from "./violation.ts";

/** Checks values against one schema. */
export type Validate = (value: unknown) => Result<unknown>;

export interface CompileOptions {
  /** The name of the schema in messages: its id, or "arguments of fs.write". */
  readonly name: string;
  /** Refuse unknown keywords and formats. Off for schemas from outside the workspace, such as those of tools. */
  readonly strict?: boolean;
  /** Refuse only words that no validator holds: a misspelt keyword, an unknown format. */
  readonly knownWords?: boolean;
  /** Schemas that this one may reference by `$id`. */
  readonly references?: Iterable<object>;
}

// Ajv takes 31 ms to load, a compiled validator 0.4 to 2.5: only schemas compiled at run time load it.
const require = createRequire(import.meta.url);

/** As in scripts/ajv-options.mjs; a test compares the two. */
export const runtimeOptions: Options = {
  strict: true,
  strictRequired: false,
  allErrors: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  verbose: true,
  allowUnionTypes: true,
  discriminator: true,
  messages: true,
};

/** Compiles a schema at run time: a workspace's, a tool's, a work order's. Drafts 2020-12, 2019-09 and 07. */
export function compileSchema(schema: unknown, options: CompileOptions): Result<Validate> {
  const { name, strict = false, references = [] } = options;
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null || Array.isArray(schema)))
    return err(
      domainError(
        "SCHEMA_INVALID",
        `${name}: a JSON Schema is an object, found ${JSON.stringify(schema) ?? typeof schema}`,
        { details: { schema_id: name } },
      ),
    );
  const large = strict ? undefined : whyTooLarge(schema);
  if (large !== undefined)
    return err(domainError("SCHEMA_INVALID", `${name}: not compiled: ${large}`, { details: { schema_id: name } }));
  try {
    const draft = typeof schema === "object" ? (schema as Record<string, unknown>)["$schema"] : undefined;
    const ajv = createAjv(draft, strict);
    const steps = strict ? undefined : bound(ajv);
    for (const reference of references) {
      expectSchema(reference, draft);
      ajv.addSchema(reference);
    }
    expectSchema(schema, draft);
    const unheld = options.knownWords && typeof schema === "object" ? unheldWord(schema) : undefined;
    if (unheld !== undefined)
      return err(domainError("SCHEMA_INVALID", `${name}: ${unheld}`, { details: { schema_id: name } }));
    const validate = ajv.compile(schema as object);
    if ("$async" in validate)
      return err(domainError("SCHEMA_INVALID", `${name}: asynchronous schemas are not accepted`));
    return ok(
      steps ? (value) => applyWithin(steps, name, validate, value) : (value) => applyValidator(name, validate, value),
    );
  } catch (thrown) {
    return err(
      domainError("SCHEMA_INVALID", `${name}: not a valid JSON Schema: ${messageOf(thrown)}`, {
        details: { schema_id: name },
        cause: thrown,
      }),
    );
  }
}

/**
 * What a schema says that no validator holds, in words: a keyword or a format that its draft does not know, such as a misspelt one.
 * Keywords that begin with `x-` are notes of the author.
 */
function unheldWord(schema: object): string | undefined {
  const ajv = createAjv((schema as Record<string, unknown>)["$schema"], false, { strictSchema: true });
  for (;;)
    try {
      ajv.compile(schema);
      return undefined;
    } catch (thrown) {
      const message = messageOf(thrown);
      const note = /^strict mode: unknown keyword: "(x-[\w-]+)"/.exec(message)?.[1];
      if (note === undefined)
        return /^strict mode: (.*)$/s.exec(message)?.[1] ?? /^unknown format .*$/s.exec(message)?.[0];
      ajv.addKeyword(note);
    }
}

export function applyValidator(name: string, validate: ValidateFunction, value: unknown): Result<unknown> {
  if (validate(value)) return ok(value);
  return err(violationError(name, validate.errors ?? []));
}

/** Checks a value against a schema from outside in a time that the value bounds, not the schema. */
function applyWithin(steps: Steps, name: string, validate: ValidateFunction, value: unknown): Result<unknown> {
  steps.allowFor(value);
  try {
    return applyValidator(name, validate, value);
  } catch (thrown) {
    // A schema that refers to itself in place overflows the stack before it reaches the count.
    if (!(thrown instanceof TooManySteps) && !(thrown instanceof RangeError)) throw thrown;
    return err(
      domainError("SCHEMA_INVALID", `${name}: its references multiply, and no value can be checked against it`, {
        details: { schema_id: name },
        cause: thrown,
      }),
    );
  }
}

function bound(ajv: Ajv): Steps {
  const steps = new Steps();
  Object.assign(ajv, { takeStep: () => steps.take() });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", errors: true, validate: uniqueItems });
  return steps;
}

const uniqueItems: SchemaValidateFunction = (isWanted: boolean, items: readonly unknown[]) => {
  const repeated = isWanted ? firstRepeated(items) : undefined;
  uniqueItems.errors = repeated ? [{ keyword: "uniqueItems", params: repeated }] : [];
  return repeated === undefined;
};

function createAjv(draft: unknown, strict: boolean, more: Options = {}): Ajv {
  const settings: Options = {
    ...runtimeOptions,
    strict,
    logger: false,
    validateSchema: false, // expectSchema has done that
    code: strict ? { regExp: linearPattern } : { regExp: linearPattern, process: counting },
    inlineRefs: strict,
    ...more,
  };
  const ajv = new (ajvFor(draft))(settings);
  const formats = require("ajv-formats") as typeof import("ajv-formats");
  formats.default(ajv);
  ajv.addKeyword("x-ledger"); // shipped event contracts carry it, and others may reference them
  return ajv;
}

/**
 * Checks a schema against the schema of its draft. Compiling the draft's schema takes twenty times as long as compiling
 * most schemas (60 ms against 3), so one Ajv for each draft checks all of them and stores none of them.
 */
function expectSchema(schema: boolean | object, draft: unknown): void {
  const judge = judgeOf(draft);
  if (judge.validateSchema(schema) !== true) throw new TypeError(`schema is invalid: ${judge.errorsText()}`);
}

function judgeOf(draft: unknown): Ajv {
  const kind = ajvFor(draft);
  const known = judges.get(kind);
  if (known) return known;
  const judge = createAjv(draft, false);
  bound(judge);
  judges.set(kind, judge);
  return judge;
}

const judges = new Map<ReturnType<typeof ajvFor>, Ajv>();

function ajvFor(draft: unknown): typeof import("ajv").Ajv {
  const text = typeof draft === "string" ? draft.replace(/#$/, "") : undefined;
  switch (text) {
    case undefined:
    case "https://json-schema.org/draft/2020-12/schema":
      return (require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js")).Ajv2020;
    case "https://json-schema.org/draft/2019-09/schema":
      return (require("ajv/dist/2019.js") as typeof import("ajv/dist/2019.js")).Ajv2019;
    case "http://json-schema.org/draft-07/schema":
    case "https://json-schema.org/draft-07/schema":
      return (require("ajv") as typeof import("ajv")).Ajv;
    default:
      throw new TypeError(
        `its $schema ${JSON.stringify(draft)} is not known; use https://json-schema.org/draft/2020-12/schema`,
      );
  }
}

/**
 * A pattern and a text from outside may keep ECMAScript's engine busy without end; RE2 takes time in proportion to the
 * text. It has no look-around and no back-references; a schema that needs them is refused.
 */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const escapes = /(\\\\)|\\u([0-9A-Fa-f]{4})|\\u\{([0-9A-Fa-f]+)\}/g;
  const translated = pattern.replaceAll(escapes, (whole, slashes, four, braced) =>
    slashes === undefined ? `\\x{${four ?? braced}}` : whole,
  );
  const compiled = compilePattern(translated);
  // Ajv identifies a pattern by its text: without `toString` all patterns of a schema would be one.
  if (compiled.ok) return { test: (text) => compiled.value.test(text), toString: () => pattern };
  throw new TypeError(`${compiled.error.message} (no look-around, no back-references)`);
}
linearPattern.code = "linearPattern";
