// From the contracts in schemas/ to code: TypeScript types, compiled validators, and the list of what is shipped.
// Contracts are written once, as JSON; nothing generated is committed.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { compile } from "json-schema-to-typescript";
import { ajvOptions } from "./ajv-options.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const schemasDir = process.env.WRIT_SCHEMAS_DIR ?? join(root, "schemas");
const validatorsDir = join(root, "generated", "validators");
const typesDir = join(root, "src", "schemas", "generated");

const contracts = readContracts();
checkFrozen(contracts);

const fingerprint = sha256(contracts.map((contract) => contract.id + contract.sha256).join() + readFileSync(fileURLToPath(import.meta.url)));
const stamp = join(root, "generated", "fingerprint");
if (existsSync(stamp) && existsSync(join(typesDir, "types.ts")) && readFileSync(stamp, "utf8") === fingerprint) process.exit(0);

rmSync(join(root, "generated"), { recursive: true, force: true });
mkdirSync(validatorsDir, { recursive: true });
mkdirSync(typesDir, { recursive: true });

const ajv = new Ajv2020({ ...ajvOptions, code: { source: true, lines: false, esm: false } });
addFormats(ajv);
for (const { schema } of contracts) ajv.addSchema(schema);
for (const { id, file } of contracts) {
  try {
    const code = standaloneCode(ajv, ajv.getSchema(id));
    writeFileSync(join(validatorsDir, `${id}.cjs`), code);
  } catch (thrown) {
    fail(`${file}: not a valid JSON Schema: ${thrown.message}`);
  }
}

writeFileSync(join(typesDir, "types.ts"), await types());
writeFileSync(stamp, fingerprint);

function readContracts() {
  const found = [];
  for (const folder of ["", "events"]) {
    const dir = join(schemasDir, folder);
    for (const name of readdirSync(dir).sort()) {
      if (!name.endsWith(".json") || name === "frozen.json") continue;
      const text = readFileSync(join(dir, name), "utf8");
      const file = `schemas/${folder ? `${folder}/` : ""}${name}`;
      let schema;
      try {
        schema = JSON.parse(text);
      } catch (thrown) {
        fail(`${file}: ${thrown.message}`);
      }
      const id = basename(name, ".json");
      if (schema.$id !== id) fail(`${file}: its $id is ${JSON.stringify(schema.$id)}, expected "${id}" as in the file's name`);
      if (!/_v[1-9][0-9]*$/.test(id)) fail(`${file}: a contract's name ends in its version, such as _v1`);
      if (found.some((other) => other.id === id)) fail(`${file}: the id ${id} is already taken`);
      found.push({ id, file, schema, isEvent: folder === "events", sha256: sha256(text) });
    }
  }
  return found;
}

function checkFrozen(all) {
  const frozen = JSON.parse(readFileSync(join(schemasDir, "frozen.json"), "utf8"));
  for (const [id, expected] of Object.entries(frozen)) {
    const contract = all.find((each) => each.id === id);
    if (!contract) fail(`schemas: the frozen contract ${id} is gone; old sessions still need it to replay`);
    if (contract.sha256 !== expected)
      fail(`${contract.file} is frozen and was changed: add a v2 (${id.replace(/_v(\d+)$/, (_, n) => `_v${Number(n) + 1}`)}.json) and leave this one as it was`);
  }
}

async function types() {
  const options = { bannerComment: "", declareExternallyReferenced: false, additionalProperties: true, format: false, ignoreMinAndMaxItems: true, unknownAny: true };
  const parts = ["// Generated from schemas/ by scripts/generate.mjs. Change the contract, not this file.\n"];
  for (const { id, schema } of contracts) {
    parts.push(await compile(withoutTitles(inlined(schema)), typeName(id), options));
  }
  parts.push(`export interface SchemaTypes {\n${contracts.map(({ id }) => `  "${id}": ${typeName(id)};`).join("\n")}\n}\n`);
  const events = contracts.filter(({ isEvent }) => isEvent);
  parts.push(`export interface EventPayloads {\n${events.map(({ id }) => `  "${id.replace(/_v1$/, "")}": ${typeName(id)};`).join("\n")}\n}\n`);
  parts.push(`export const shippedSchemas: Readonly<Record<string, { readonly file: string; readonly sha256: string; readonly event: boolean }>> = {\n${contracts
    .map(({ id, file, sha256: hash, isEvent }) => `  "${id}": { file: "${file}", sha256: "${hash}", event: ${isEvent} },`)
    .join("\n")}\n};\n`);
  return parts.join("\n");
}

/** References between contracts become references between the generated types. */
function inlined(schema) {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (value && typeof value === "object" && typeof value.$ref === "string" && contracts.some(({ id }) => id === value.$ref))
      return { tsType: typeName(value.$ref) };
    return value;
  });
}

// A title would become the name of the type; the id is its name.
function withoutTitles(schema) {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "title" && typeof value === "string" ? undefined : key === "$id" ? undefined : value)));
}

function typeName(id) {
  return id.split(/[._-]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
