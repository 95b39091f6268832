import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { compileSchema, shippedRegistry } from "#core/contracts";
import { checkJson, type JsonValue, type Result, seededRandom } from "#core/values";
import { samples } from "../../src/core/contracts/samples.case.ts";
import { randomDocuments } from "../support/random-documents.ts";
import { fits, type Schema } from "../support/reference-validator.ts";

const schemas = shippedRegistry();
const contracts = new Map(schemas.ids().map((id) => [id, writtenOut(id)]));
const lookup = (id: string): Schema => contracts.get(id) ?? {};
const ids = schemas.ids();
const documents = process.env["WRIT_CAMPAIGN"] ? 10_000_000 : 12_000;

/** The answer is a value, and a refusal can be read, logged and counted on. */
function verdict(id: string, value: unknown): boolean {
  const result = schemas.validate(id, value);
  if (result.ok) return true;
  const { code, message, details } = result.error;
  const violations = details["violations"] as readonly Record<string, unknown>[];
  const readable =
    violations.length > 0 &&
    violations.every(({ path, expected, found }) => String(path).startsWith("$") && isText(expected) && isText(found));
  if (code !== "SCHEMA_VIOLATION" || !message.startsWith(`${id}: at $`) || !readable || !checkJson(details).ok)
    throw new Error(`unreadable refusal: ${message} ${JSON.stringify(violations)}`);
  return false;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && !/undefined|\[object/.test(value);
}

test(`${documents} random documents, spread over every contract, never throw, and the verdict is the reference's`, () => {
  const random = randomDocuments(seededRandom(20261115), lookup);
  const accepted = new Map<string, number>();
  for (let made = 0; made < documents; made++) {
    const id = ids[made % ids.length] as string;
    const value = made % 10 === 0 ? random.junk() : random.near(lookup(id));
    const found = verdict(id, value);
    if (found !== fits(lookup(id), value, lookup))
      throw new Error(`${id}: the validator says ${found}, the reference does not: ${inspect(value, { depth: 9 })}`);
    if (found) accepted.set(id, (accepted.get(id) ?? 0) + 1);
  }
  // Had nothing been accepted, the documents would not have come near.
  expect(accepted.size).toBeGreaterThan(ids.length / 3);
}, 600_000);

test("every place of every sample, changed, removed or joined by another field, gets the reference's verdict", () => {
  let refused = 0;
  let tried = 0;
  for (const [id, sample] of Object.entries(samples)) {
    for (const mutant of mutants(sample as JsonValue)) {
      tried++;
      const found = verdict(id, mutant);
      if (found !== fits(lookup(id), mutant, lookup))
        throw new Error(`${id}: the validator says ${found}, the reference does not: ${inspect(mutant, { depth: 9 })}`);
      if (!found) refused++;
    }
  }
  expect(tried).toBeGreaterThan(4000);
  expect(refused / tried).toBeGreaterThan(0.6);
});

describe("removing a required field is refused", () => {
  test.each(Object.entries(samples))("%s", (id, sample) => {
    const required = (lookup(id)["required"] ?? []) as readonly string[];
    for (const field of required) {
      const { [field]: _, ...rest } = sample as Record<string, unknown>;
      expect([field, schemas.validate(id, rest).ok]).toEqual([field, false]);
    }
  });
});

test("contracts compiled at run time, with RE2 for their patterns, give the same verdicts as those compiled ahead", () => {
  const random = randomDocuments(seededRandom(7), lookup);
  const differing: string[] = [];
  const said = (result: Result<unknown>) => (result.ok ? "fine" : result.error.message);
  for (const id of ids) {
    const compiled = compileSchema(lookup(id), { name: id, strict: true, references: referencesOf(id).map(lookup) });
    if (!compiled.ok) throw new Error(compiled.error.message);
    for (let made = 0; made < 100; made++) {
      const value = random.near(lookup(id));
      const [ahead, now] = [said(schemas.validate(id, value)), said(compiled.value(value))];
      if (now !== ahead) differing.push(`${id}: ${now}, and ahead of time ${ahead}`);
    }
  }
  expect(differing).toEqual([]); // gathered: asserting each takes longer than the verdicts
});

const replacements: readonly JsonValue[] = [null, true, 0, -1, 1.5, "", "x", [], {}, ["x"], { x: 1 }];

/** The value with one place changed, in all ways. */
function* mutants(value: JsonValue): Generator<JsonValue> {
  yield* replacements;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    yield [...items, ...items];
    for (const [index, item] of items.entries()) for (const mutant of mutants(item)) yield items.with(index, mutant);
  } else if (typeof value === "object" && value !== null) {
    const fields = value as Readonly<Record<string, JsonValue>>;
    yield { ...fields, smuggled: 1 };
    for (const [key, item] of Object.entries(fields)) {
      const { [key]: _, ...rest } = fields;
      yield rest;
      for (const mutant of mutants(item)) yield { ...rest, [key]: mutant };
    }
  }
}

/** The contract with its own `$defs` in place of the references to them. */
function writtenOut(id: string): Schema {
  const schema = schemas.schema(id);
  if (!schema.ok) throw new Error(schema.error.message);
  const definitions = (schema.value as { readonly $defs?: Schema }).$defs ?? {};
  const visit = (_key: string, value: unknown): unknown => {
    const reference = (value as { readonly $ref?: unknown } | null)?.$ref;
    return typeof reference === "string" && reference.startsWith("#/$defs/") ? definitions[reference.slice(8)] : value;
  };
  return JSON.parse(JSON.stringify(schema.value, visit)) as Schema;
}

/** The contracts that one names, and those that they name. */
function referencesOf(id: string, found = new Set<string>()): readonly string[] {
  for (const [, name] of JSON.stringify(lookup(id)).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    referencesOf(name, found);
  }
  return [...found];
}
