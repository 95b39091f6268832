import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import {
  canonicalJson,
  checkJson,
  err,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
} from "#core/values";
import { type LineMemory, writeText } from "./line-memory.ts";
import type { PayloadRedactor } from "./payload-redactor.ts";

/** The checks between a caller and the log. */
export interface PayloadGate {
  readonly schemas: Pick<SchemaRegistry, "validate">;
  readonly redactor: PayloadRedactor;
  readonly maxPayloadBytes: number;
}

export const defaultMaxPayloadBytes: number = 8 * 1024 * 1024;

/**
 * Bounded checks, then redaction, then the type's own contract: in this order, so that no violation quotes a secret.
 * Writes the payload's canonical JSON and returns the redacted payload; the caller continues with this one.
 */
export function preparePayload(
  type: string,
  value: unknown,
  gate: PayloadGate,
  memory: LineMemory,
): Result<JsonObject> {
  const before = memory.end - memory.position;
  const isWritten = gate.redactor.writeOrdinary?.(value, memory) === true && isJsonObject(value);
  const payload = isWritten ? keepContract(type, value, gate) : redactAndWrite(type, value, gate, memory);
  const bytes = memory.end - memory.position - before;
  return payload.ok && bytes > gate.maxPayloadBytes ? err(tooLarge(type, bytes, gate.maxPayloadBytes)) : payload;
}

/** Validates against the contract of the type. */
function keepContract(type: string, value: unknown, { schemas }: PayloadGate): Result<JsonObject> {
  return schemas.validate(contractOf(type), value) as Result<JsonObject>; // every contract of an event describes an object
}

function redactAndWrite(type: string, value: unknown, gate: PayloadGate, memory: LineMemory): Result<JsonObject> {
  const redacted = redact(type, value, gate);
  if (!redacted.ok) return redacted;
  const valid = keepContract(type, redacted.value, gate);
  if (valid.ok) writeText(memory, canonicalJson(valid.value));
  return valid;
}

function redact(type: string, value: unknown, { redactor }: PayloadGate): Result<JsonObject> {
  const checked = checkJson(value);
  if (!checked.ok) return checked;
  if (!isJsonObject(value)) return err(domainError("MALFORMED_INPUT", `the payload of ${type} is not an object`));
  return ok(redactor.redactJson(checked.value).value as JsonObject);
}

function tooLarge(type: string, bytes: number, most: number): DomainError {
  return domainError(
    "MALFORMED_INPUT",
    `the payload of ${type} has ${bytes} bytes, at most ${most} are recorded; keep large content in a file and record its hash`,
    { details: { path: "$", found: `${bytes} bytes`, expected: `at most ${most} bytes` } },
  );
}

const contracts = new Map<string, string>();

/**
 * Cached: the few types recur by the thousand, and a new string for each event would be hashed again for every lookup.
 */
function contractOf(type: string): string {
  let contract = contracts.get(type);
  if (contract !== undefined) return contract;
  contract = `${type}_v1`;
  if (contracts.size < 1_024) contracts.set(type, contract);
  return contract;
}

/** A refusal as the payload of `schema.violation`. Bounded, whatever the refused value. */
export function violationPayload(
  type: string,
  error: DomainError,
): { schema_id: string; where: string; violations: { path: string; expected: string; found: string }[] } {
  const listed = error.details["violations"];
  const violations = Array.isArray(listed)
    ? listed
    : [{ path: "$", expected: error.message, found: error.code, ...error.details }];
  return {
    schema_id: clip(`${type}_v1`, 160),
    where: "events.append",
    violations: violations.slice(0, 12).map((violation: JsonValue) => {
      const { path, expected, found } = isJsonObject(violation) ? violation : { path: "$", expected: "", found: "" };
      return { path: clip(path, 1024), expected: clip(expected, 1024), found: clip(found, 1024) };
    }),
  };
}

// Cut between characters: half a surrogate pair would be refused in turn.
function clip(value: unknown, length: number): string {
  return (typeof value === "string" ? value : JSON.stringify(value ?? "")).slice(0, length).toWellFormed();
}
