import { type DomainError, domainError } from "../errors/domain-error.ts";
import { type JsonValue } from "../values/json.ts";
import { err, ok, type Result } from "../values/result.ts";
import { parseJson } from "../values/strict-json.ts";
import type { SchemaTypes } from "./generated/types.ts";
import type { SchemaId, SchemaRegistry } from "./registry.ts";
import type { Violation } from "./violation.ts";
import { type Located, locateYaml } from "./yaml.ts";

/** A text and its name in messages. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** A violation in a file that a person wrote. */
export interface LocatedViolation extends Violation {
  readonly line: number;
}

/** A document of a contract from a JSON or YAML file. Messages begin with file and line; `details.violations` has them all. */
export function readContract<K extends SchemaId>(
  schemas: SchemaRegistry,
  id: K,
  source: Source,
): Result<SchemaTypes[K]>;
export function readContract(schemas: SchemaRegistry, id: string, source: Source): Result<unknown>;
export function readContract(schemas: SchemaRegistry, id: string, source: Source): Result<unknown> {
  const located = locate(source);
  if (!located.ok) return err(inFile(located.error, source.file));
  return check(schemas, id, source.file, located.value);
}

function locate({ file, text }: Source): Result<Located<JsonValue>> {
  if (!file.endsWith(".json")) return locateYaml(text);
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  // JSON is YAML too: it is parsed again as YAML only when a line number is needed.
  return ok({
    value: parsed.value,
    lineOf: (path) => {
      const again = locateYaml(text);
      return again.ok ? again.value.lineOf(path) : 1;
    },
  });
}

function check(schemas: SchemaRegistry, id: string, file: string, located: Located<JsonValue>): Result<unknown> {
  const checked = schemas.validate(id, located.value);
  if (checked.ok || checked.error.code !== "SCHEMA_VIOLATION") return checked;
  const violations = (checked.error.details["violations"] as readonly Violation[]).map(
    (violation): LocatedViolation => ({ ...violation, line: located.lineOf(violation.path) }),
  );
  const [first] = violations;
  return err(
    domainError("SCHEMA_VIOLATION", `${file}:${first?.line}: ${checked.error.message}`, {
      details: { ...checked.error.details, file, violations },
    }),
  );
}

function inFile(error: DomainError, file: string): DomainError {
  return { ...error, message: `${file}: ${error.message}`, details: { ...error.details, file } };
}
