// TypeScript from contracts: one type per contract, named after its id (`plan_v1` gives `PlanV1`).
import { compile } from "json-schema-to-typescript";

const banner = "// Generated from schemas/ by scripts/generate.mjs. Change the contract, not this file.\n";
const options = {
  bannerComment: "",
  declareExternallyReferenced: false,
  additionalProperties: true,
  format: false,
  ignoreMinAndMaxItems: true,
  unknownAny: true,
};

export async function types(contracts) {
  const names = new Map(contracts.map((contract) => [contract.id, typeName(contract)]));
  const parts = [banner];
  for (const { id, schema } of contracts)
    parts.push(
      comment(schema) + (await compile({ ...forTypes(schema, names), description: undefined }, names.get(id), options)),
    );
  parts.push(
    `export interface SchemaTypes {\n${contracts.map(({ id }) => `  "${id}": ${names.get(id)};`).join("\n")}\n}\n`,
  );
  const events = contracts.filter(({ isEvent }) => isEvent);
  parts.push(
    `export interface EventPayloads {\n${events.map(({ id }) => `  "${eventType(id)}": ${names.get(id)};`).join("\n")}\n}\n`,
  );
  return parts.join("\n");
}

export function tables(contracts, validatorFiles) {
  const shipped = Object.fromEntries(
    contracts.map(({ id, file, sha256, isEvent, frozen, schema }) => [
      id,
      {
        file,
        sha256,
        event: isEvent,
        frozen,
        title: schema.title,
        ...(schema.description ? { description: schema.description } : {}),
      },
    ]),
  );
  const rules = Object.fromEntries(
    contracts
      .filter(({ schema }) => schema["x-ledger"])
      .map(({ id, schema }) => [eventType(id), { exec_fields: [], ...schema["x-ledger"] }]),
  );
  return [
    banner,
    'import type { LedgerRule, ShippedSchema } from "../shipped.ts";\n',
    `export const shippedSchemas: Readonly<Record<string, ShippedSchema>> = ${JSON.stringify(shipped, null, 2)};\n`,
    `export const ledgerRules: Readonly<Record<string, LedgerRule>> = ${JSON.stringify(rules, null, 2)};\n`,
    `/** Where a validator lies that has no file of its own. */\nexport const validatorFiles: Readonly<Record<string, string>> = ${JSON.stringify(validatorFiles, null, 2)};\n`,
  ].join("\n");
}

function comment({ title, description }) {
  return `/** ${[title, description].filter(Boolean).join(". ").replaceAll("*/", "*\\/")} */\n`;
}

/** References between contracts become references between types; what says nothing about a type is left out. */
function forTypes(schema, names) {
  const visit = (node) => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    if (typeof node.$ref === "string")
      return names.has(node.$ref) ? { tsType: names.get(node.$ref) } : visit(definition(schema, node.$ref));
    const { title, $id, $schema, $defs, discriminator, "x-ledger": _rule, if: _if, then: _then, ...rest } = node;
    // A tagged union is its branches; `type` and `required` of the whole would only be repeated beside them.
    if (discriminator)
      return {
        ...(rest.description ? { description: rest.description } : {}),
        oneOf: rest.oneOf.map((branch) => ({ type: "object", ...visit(branch) })),
      };
    if (rest.allOf?.every((each) => each.if)) delete rest.allOf;
    const result = {};
    for (const [key, value] of Object.entries(rest)) {
      if (key === "properties")
        result.properties = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visit(each)]));
      else if (key === "enum" || key === "const" || key === "default") result[key] = value;
      else result[key] = visit(value);
    }
    return result;
  };
  return visit(schema);
}

/** What `#/$defs/name` stands for; it is written out wherever it is used, so that no two contracts fight over a name. */
function definition(schema, reference) {
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const found = name === undefined ? undefined : schema.$defs?.[name];
  if (found === undefined)
    throw new Error(`${schema.$id}: the reference ${reference} names neither a contract nor one of its own $defs`);
  if (JSON.stringify(found).includes(JSON.stringify(reference)))
    throw new Error(`${schema.$id}: ${reference} refers to itself; make it a contract of its own`);
  return found;
}

function eventType(id) {
  return id.replace(/_v[0-9]+$/, "");
}

// A payload is named after its event, so that `lead.directive` does not take the name of `lead_directive`.
function typeName({ id, isEvent }) {
  return (isEvent ? id.replace(/_v(\d+)$/, "_event_v$1") : id)
    .split(/[._-]/)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join("");
}
