import {
  canonicalJson,
  checkJson,
  type DomainError,
  domainError,
  err,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
} from "#base";
import type { SchemaRegistry } from "#schemas";
import type { OrdinaryJson, PayloadRedactor } from "./redactor.ts";

/** What stands between a caller and the log. */
export interface PayloadGate {
  readonly schemas: Pick<SchemaRegistry, "validate">;
  readonly redactor: PayloadRedactor;
  readonly maxPayloadBytes: number;
}

export interface PreparedPayload {
  /** Redacted; the caller goes on with this one. */
  readonly payload: JsonObject;
  /** Its canonical JSON. */
  readonly json: string;
  /** True only where every character of it is ASCII. */
  readonly isAscii: boolean;
}

export const defaultMaxPayloadBytes: number = 8 * 1024 * 1024;

/** Bounded checks, then redaction, then the type's own contract: in this order, so that no violation quotes a secret. */
export function preparePayload(type: string, value: unknown, gate: PayloadGate): Result<PreparedPayload> {
  const ordinary = gate.redactor.writeOrdinary?.(value);
  if (ordinary !== undefined && isJsonObject(value)) return admit(type, value as JsonObject, ordinary, gate); // written, so it is JSON
  const checked = checkJson(value);
  if (!checked.ok) return checked;
  if (!isJsonObject(value)) return err(domainError("MALFORMED_INPUT", `the payload of ${type} is not an object`));
  const payload = gate.redactor.redactJson(checked.value);
  return admit(type, payload.value as JsonObject, undefined, gate);
}

function admit(
  type: string,
  payload: JsonObject,
  written: OrdinaryJson | undefined,
  gate: PayloadGate,
): Result<PreparedPayload> {
  const valid = gate.schemas.validate(contractOf(type), payload);
  if (!valid.ok) return valid;
  const json = written?.json ?? canonicalJson(payload);
  // A character takes at most three bytes here, so most payloads need no second look.
  if (json.length * 3 > gate.maxPayloadBytes && Buffer.byteLength(json) > gate.maxPayloadBytes)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `the payload of ${type} has ${Buffer.byteLength(json)} bytes, at most ${gate.maxPayloadBytes} are recorded; keep large content in a file and record its hash`,
        {
          details: {
            path: "$",
            found: `${Buffer.byteLength(json)} bytes`,
            expected: `at most ${gate.maxPayloadBytes} bytes`,
          },
        },
      ),
    );
  return ok({ payload, json, isAscii: written?.isAscii ?? false });
}

const contracts = new Map<string, string>();

/** The few types come again by the thousand: a name made anew for each event would be hashed anew to be looked up. */
function contractOf(type: string): string {
  let contract = contracts.get(type);
  if (contract !== undefined) return contract;
  contract = `${type}_v1`;
  if (contracts.size < 1_024) contracts.set(type, contract);
  return contract;
}

/** A refusal as the payload of `schema.violation`. Bounded, whatever the refused thing looked like. */
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
